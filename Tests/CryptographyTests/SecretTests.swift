import Cryptography
import Testing

@Suite struct SecretTests {
    struct Account {
        var name = "demo"
        var key: Secret
        var more: [Secret]
        var maybe: Secret?
    }

    @Test func nothingThatPrintsShowsTheBytes() {
        let text = "hunter2-hunter2-hunter2"
        let secret = Secret(text)
        let account = Account(key: secret, more: [secret], maybe: secret)
        var dumped = ""
        dump(secret, to: &dumped)
        dump(account, to: &dumped)
        dump([account.name: account], to: &dumped)
        let printed = [
            "\(secret)", String(describing: secret), String(reflecting: secret), "\([secret])", "\(account)",
            String(reflecting: account), "\(Optional(secret) as Any)", "\(["key": secret])", dumped,
            "\(Mirror(reflecting: secret).children.map { "\($0.value)" })", "\(Mirror(reflecting: account).children)",
        ]
        for output in printed {
            #expect(!output.contains("hunter"))
            // Nor as numbers: `[104, 117, …`, nor in hexadecimal.
            #expect(!output.contains("104"))
            #expect(!output.contains(Hex.encode(Array("hunter".utf8))))
        }
        #expect("\(secret)" == "<redacted>")
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func bytesAreLent() {
        #expect(Secret("abc").withBytes { Array($0) } == [97, 98, 99])
        #expect(Secret([UInt8]()).withBytes { $0.count } == 0)
        #expect(Secret("abc").count == 3)
        #expect(Secret("").isEmpty)
    }

    @Test(arguments: [
        ("", "", true), ("abc", "abc", true), ("abc", "abd", false), ("abc", "ab", false), ("", "a", false),
    ])
    func equalityIsThatOfTheBytes(left: String, right: String, areEqual: Bool) {
        #expect((Secret(left) == Secret(right)) == areEqual)
        #expect(constantTimeEqual(Array(left.utf8), Array(right.utf8)) == areEqual)
    }

    @Test func differencesInAnyByteAreSeen() throws {
        let bytes = SecureRandom.bytes(count: 32)
        let digest = try #require(Digest256(bytes))
        for index in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[index] ^= 1 << UInt8(bit)
                #expect(!constantTimeEqual(bytes, other))
                #expect(try #require(Digest256(other)) != digest)
            }
        }
        #expect(try #require(Digest256(bytes)) == digest)
    }
}

@Suite struct Digest256Tests {
    @Test(arguments: [0, 31, 33, 64])
    func otherLengthsAreRefused(count: Int) {
        #expect(Digest256([UInt8](repeating: 1, count: count)) == nil)
    }

    @Test func bytesAndHexAreInOrder() throws {
        let digest = try #require(Digest256(Array(0..<32)))
        #expect(digest.bytes == Array(0..<32))
        #expect(digest.hex == "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
        #expect(digest.withBytes { $0.count } == 32)
    }

    @Test func itServesAsADictionaryKey() {
        let table = [SHA256.hash(of: "a"): 1, SHA256.hash(of: "b"): 2]
        #expect(table[SHA256.hash(of: "b")] == 2)
        #expect(table[SHA256.hash(of: "c")] == nil)
    }
}

@Suite struct SecureRandomTests {
    @Test(arguments: [0, 1, 16, 32, 100_000])
    func asManyBytesAsAsked(count: Int) {
        #expect(SecureRandom.bytes(count: count).count == count)
    }

    @Test func bytesDoNotRepeatAndUseAllValues() {
        let drawn = Set((0..<1_000).map { _ in SecureRandom.bytes(count: 16) })
        #expect(drawn.count == 1_000)
        // Each of the 256 values is missing from 100,000 bytes with a probability of 10 to the minus 170.
        #expect(Set(SecureRandom.bytes(count: 100_000)).count == 256)
    }
}
