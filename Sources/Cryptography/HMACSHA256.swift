private import COpenSSL

/// HMAC with SHA-256 (RFC 2104, RFC 4231).
public enum HMACSHA256 {
    /// The authentication code of one message.
    ///
    /// Compare codes as `Digest256` values, whose equality takes constant time.
    public static func authenticationCode(
        for message: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer
    ) -> Digest256 {
        // The construction of RFC 2104, section 2, over one digest context: half the time of libcrypto's HMAC(), which
        // looks its algorithm up by name at each call.
        var block = KeyBlock(key: key)
        var hash = SHA256()
        block.xor(0x36)
        block.withBytes { hash.update($0) }
        hash.update(message)
        let inner = hash.finalize()
        block.xor(0x36 ^ 0x5C)
        block.withBytes { hash.update($0) }
        inner.withBytes { hash.update($0) }
        block.wipe()
        return hash.finalize()
    }

    /// The authentication code of one message.
    public static func authenticationCode(for message: [UInt8], key: [UInt8]) -> Digest256 {
        message.withUnsafeBytes { message in
            key.withUnsafeBytes { self.authenticationCode(for: message, key: $0) }
        }
    }

    /// The authentication code of one message under a secret key.
    public static func authenticationCode(for message: [UInt8], key: Secret) -> Digest256 {
        message.withUnsafeBytes { message in
            key.withBytes { self.authenticationCode(for: message, key: $0) }
        }
    }
}

/// A key padded to the hash function's block.
private struct KeyBlock {
    static let byteCount = 64

    private var bytes: SIMD64<UInt8> = .zero

    init(key: UnsafeRawBufferPointer) {
        withUnsafeMutableBytes(of: &self.bytes) { block in
            if key.count > Self.byteCount {
                SHA256.hash(of: key).withBytes { block.copyMemory(from: $0) }
            } else {
                block.copyMemory(from: key)
            }
        }
    }

    mutating func xor(_ byte: UInt8) {
        self.bytes ^= SIMD64(repeating: byte)
    }

    func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        withUnsafeBytes(of: self.bytes, body)
    }

    mutating func wipe() {
        withUnsafeMutableBytes(of: &self.bytes) { OPENSSL_cleanse($0.baseAddress, $0.count) }
    }
}
