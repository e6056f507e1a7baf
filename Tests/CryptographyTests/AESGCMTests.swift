import Cryptography
import Testing

@Suite struct AESGCMTests {
    private static let key = Secret([UInt8](repeating: 7, count: 32))

    /// Test case 16 of the GCM specification (McGrew and Viega), whose nonce stands in front and whose tag behind.
    @Test func theSpecificationsCaseIsOpened() throws {
        let key = Secret(try #require(Hex.decode("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")))
        let sealed =
            "cafebabefacedbaddecaf888"
            + "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
            + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662" + "76fc6ece0f4e1768cddf8853bb2d551b"
        let message =
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
            + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
        let context = try #require(Hex.decode("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
        #expect(AESGCM.open(try #require(Hex.decode(sealed)), key: key, context: context) == Hex.decode(message))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 1_000])
    func whatIsSealedIsOpened(count: Int) {
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let sealed = AESGCM.seal(message, key: Self.key, context: [1])
        #expect(sealed.count == count + 28 && AESGCM.open(sealed, key: Self.key, context: [1]) == message)
        // A nonce is never used twice.
        #expect(sealed != AESGCM.seal(message, key: Self.key, context: [1]))
    }

    @Test func nothingElseIsOpened() {
        let sealed = AESGCM.seal([1, 2, 3], key: Self.key, context: [])
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(AESGCM.open(changed, key: Self.key, context: []) == nil)
        }
        #expect(AESGCM.open(sealed, key: Self.key, context: [1]) == nil)
        #expect(AESGCM.open(sealed, key: Secret([UInt8](repeating: 8, count: 32)), context: []) == nil)
        for count in 0..<sealed.count {
            #expect(AESGCM.open(Array(sealed.prefix(count)), key: Self.key, context: []) == nil)
        }
    }
}
