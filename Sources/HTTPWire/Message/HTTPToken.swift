/// The character classes that field and method grammar is made of (RFC 9110, section 5.6).
public enum HTTPToken {
    /// Whether a byte may stand in a token (section 5.6.2).
    public static func isTokenByte(_ byte: UInt8) -> Bool {
        ByteSet.token.contains(byte)
    }

    /// Whether a byte may stand in a field value: tab, space, visible characters and obs-text (section 5.5).
    public static func isFieldValueByte(_ byte: UInt8) -> Bool {
        byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
    }

    /// The ASCII lower case of a byte.
    @inlinable
    public static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    /// The text that bytes spell, in ASCII lower case.
    static func lowercased(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count) { text in
            for (index, byte) in bytes.enumerated() { text[index] = self.lowercased(byte) }
            return bytes.count
        }
    }

    /// Whether bytes spell a text, without regard to ASCII case.
    ///
    /// - Parameter text: In lower case.
    @inlinable
    public static func equals(_ bytes: some Collection<UInt8>, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        var wanted = text.utf8Start
        for byte in bytes {
            guard self.lowercased(byte) == wanted.pointee else { return false }
            wanted += 1
        }
        return true
    }
}
