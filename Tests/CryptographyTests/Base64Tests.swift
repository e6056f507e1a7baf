import Cryptography
import Testing

@Suite struct Base64Tests {
    /// RFC 4648, section 10.
    static let vectors = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test(arguments: vectors)
    func vectorsOfTheRFC(bytes: String, text: String) {
        #expect(Base64.encode(Array(bytes.utf8)) == text)
        #expect(Base64.decode(text) == Array(bytes.utf8))
        let unpadded = text.filter { $0 != "=" }
        #expect(Base64.encode(Array(bytes.utf8), as: .urlSafe) == unpadded)
        #expect(Base64.decode(unpadded, as: .urlSafe) == Array(bytes.utf8))
    }

    @Test func theVariantsDifferInTwoDigits() {
        #expect(Base64.encode([0xFB, 0xEF, 0xFF]) == "++//")
        #expect(Base64.encode([0xFB, 0xEF, 0xFF], as: .urlSafe) == "--__")
        #expect(Base64.decode("++//", as: .urlSafe) == nil)
        #expect(Base64.decode("--__") == nil)
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zg==Zg==", "=", "==", "====", "Z===", "Zm9v=", "Zm9v====", " Zg==", "Zg== ",
        "Zm\n8=",
        "Zm9v\n", "Zm9%", "Zm9é", "Zg=g",
        // Bits that no byte uses are set.
        "Zh==", "Zm9=",
    ])
    func textThatTheEncoderWouldNotWriteIsRefused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: ["Zg==", "Z", "Zm8=", "Zh", "Zm9", "Zg\u{0}"])
    func unpaddedTextThatTheEncoderWouldNotWriteIsRefused(text: String) {
        #expect(Base64.decode(text, as: .urlSafe) == nil)
    }

    @Test func theSystemsToolAgreesAndTheWayBackIsExact() async throws {
        for length in [1, 2, 3, 47, 48, 49, 1_000] {
            let bytes = SecureRandom.bytes(count: length)
            let text = Base64.encode(bytes)
            #expect(Base64.decode(text) == bytes)
            #expect(Base64.decode(Base64.encode(bytes, as: .urlSafe), as: .urlSafe) == bytes)
            let back = try await ShellCommand.output(of: "printf %s '\(text)' | openssl base64 -d -A | od -An -v -tx1")
            #expect(back.filter { $0.isHexDigit } == Hex.encode(bytes))
        }
    }
}

@Suite struct HexTests {
    @Test func digitsAreLowerCaseAndReadInEitherCase() {
        #expect(Hex.encode([0x00, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
        #expect(Hex.decode("000FA0ff") == [0x00, 0x0F, 0xA0, 0xFF])
        #expect(Hex.encode([]).isEmpty)
        #expect(Hex.decode("") == [])
    }

    @Test(arguments: ["0", "abc", "0g", "0x00", " 00", "00 ", "é0", "//", "::", "@@", "``", "GG"])
    func anythingElseIsRefused(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}
