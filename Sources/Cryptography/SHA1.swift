/// SHA-1 (FIPS 180-4), for the WebSocket handshake (RFC 6455, section 4.2.2) and never for security.
public enum SHA1 {
    /// The number of bytes of a digest.
    public static let byteCount = 20

    /// The digest of one message: 20 bytes.
    public static func hash(of bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: self.byteCount) { output, count in
            bytes.withUnsafeBytes { FetchedDigest.sha1.digest($0, into: UnsafeMutableRawBufferPointer(output)) }
            count = self.byteCount
        }
    }

    /// The digest of a text's UTF-8: 20 bytes.
    public static func hash(of text: String) -> [UInt8] {
        self.hash(of: Array(text.utf8))
    }
}
