import Testing

@testable import HTTPWire

/// The bit masks against the characters that the grammars name.
@Suite struct ByteSetTests {
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    private static let digits = "0123456789"

    private func members(_ set: ByteSet) -> [UInt8] {
        (UInt8(0)...255).filter(set.contains)
    }

    private func bytes(_ text: String) -> [UInt8] {
        text.utf8.sorted()
    }

    @Test func setsHoldWhatTheirGrammarsName() {
        let alphanumeric = Self.letters + Self.digits
        #expect(self.members(.token) == self.bytes(alphanumeric + "!#$%&'*+-.^_`|~"))
        #expect(self.members(.path) == self.bytes(alphanumeric + "-._~!$&'()*+,;=:@/"))
        #expect(self.members(.registeredName) == self.bytes(alphanumeric + "-._~!$&'()*+;="))
        #expect(self.members(.boundary) == self.bytes(alphanumeric + "'()+_,-./:=? "))
        #expect(self.members(.visible) == Array(0x21...0x7E))
        #expect((UInt8(0)...255).filter(HTTPToken.isTokenByte) == self.members(.token))
    }
}
