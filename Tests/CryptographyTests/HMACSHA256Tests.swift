import Cryptography
import Testing

@Suite struct HMACSHA256Tests {
    struct Vector: Sendable {
        var key: [UInt8]
        var message: [UInt8]
        var code: String
    }

    /// RFC 4231, section 4; case 5 is there in its first half only.
    static let vectors = [
        Vector(
            key: Array(repeating: 0x0B, count: 20),
            message: Array("Hi There".utf8),
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        Vector(
            key: Array("Jefe".utf8),
            message: Array("what do ya want for nothing?".utf8),
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        Vector(
            key: Array(repeating: 0xAA, count: 20),
            message: Array(repeating: 0xDD, count: 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        ),
        Vector(
            key: Array(1...25),
            message: Array(repeating: 0xCD, count: 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        ),
        Vector(
            key: Array(repeating: 0x0C, count: 20),
            message: Array("Test With Truncation".utf8),
            code: "a3b6167473100ee06e0c796c2955552b"
        ),
        Vector(
            key: Array(repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        Vector(
            key: Array(repeating: 0xAA, count: 131),
            message: Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. The key needs"
                    + " to be hashed before being used by the HMAC algorithm.").utf8
            ),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test(arguments: vectors)
    func vectorsOfTheRFC(_ vector: Vector) {
        let code = HMACSHA256.authenticationCode(for: vector.message, key: vector.key)
        #expect(code.hex.hasPrefix(vector.code))
        #expect(HMACSHA256.authenticationCode(for: vector.message, key: Secret(vector.key)) == code)
    }

    @Test(arguments: [1, 55, 63, 64, 65, 200])
    func theSystemsToolAgreesOnKeysAroundTheBlockLength(keyLength: Int) async throws {
        let key = SecureRandom.bytes(count: keyLength)
        let text = Base64.encode(SecureRandom.bytes(count: 300))
        let output = try await ShellCommand.output(
            of: "printf %s '\(text)' | openssl dgst -sha256 -mac HMAC -macopt hexkey:\(Hex.encode(key)) -r"
        )
        #expect(HMACSHA256.authenticationCode(for: Array(text.utf8), key: key).hex == output.prefix(64))
    }

    @Test func anEmptyMessageAndAnEmptyKeyAreLegal() {
        #expect(
            HMACSHA256.authenticationCode(for: [], key: [UInt8]()).hex
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
        )
    }
}

@Suite struct HKDFSHA256Tests {
    struct Vector: Sendable {
        var input: [UInt8]
        var salt: [UInt8]
        var info: [UInt8]
        var output: String
    }

    /// RFC 5869, appendices A.1 to A.3.
    static let vectors = [
        Vector(
            input: Array(repeating: 0x0B, count: 22),
            salt: Array(0x00...0x0C),
            info: Array(0xF0...0xF9),
            output: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        ),
        Vector(
            input: Array(0x00...0x4F),
            salt: Array(0x60...0xAF),
            info: Array(0xB0...0xFF),
            output: "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
        ),
        Vector(
            input: Array(repeating: 0x0B, count: 22),
            salt: [],
            info: [],
            output: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
        ),
    ]

    @Test(arguments: vectors)
    func vectorsOfTheRFC(_ vector: Vector) throws {
        let expected = try #require(Hex.decode(vector.output))
        let derived = HKDFSHA256.deriveKey(
            input: vector.input,
            salt: vector.salt,
            info: vector.info,
            count: expected.count
        )
        #expect(derived == expected)
        let secret = HKDFSHA256.deriveKey(
            input: Secret(vector.input),
            salt: vector.salt,
            info: vector.info,
            count: expected.count
        )
        #expect(secret == Secret(expected))
    }

    @Test(arguments: [0, 1, 31, 32, 33, 8_160])
    func countsAreExactAndShorterKeysArePrefixes(count: Int) {
        let longest = HKDFSHA256.deriveKey(input: [1], salt: [2], info: [3], count: HKDFSHA256.maximumCount)
        #expect(HKDFSHA256.maximumCount == 8_160)
        #expect(HKDFSHA256.deriveKey(input: [1], salt: [2], info: [3], count: count) == Array(longest.prefix(count)))
    }
}
