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
        // The construction of RFC 2104, section 2, over one digest context. libcrypto's HMAC() looks its algorithm up by
        // name at each call, which for our short messages takes longer than the hashing.
        withUnsafeTemporaryAllocation(byteCount: self.blockByteCount, alignment: 8) { block in
            defer { OPENSSL_cleanse(block.baseAddress, block.count) }
            block.initializeMemory(as: UInt8.self, repeating: 0)
            if key.count > block.count {
                SHA256.hash(of: key).withBytes { block.copyMemory(from: $0) }
            } else {
                block.copyMemory(from: key)
            }
            var hash = SHA256()
            for index in block.indices { block[index] ^= 0x36 }
            hash.update(UnsafeRawBufferPointer(block))
            hash.update(message)
            let inner = hash.finalize()
            for index in block.indices { block[index] ^= 0x36 ^ 0x5C }
            hash.update(UnsafeRawBufferPointer(block))
            inner.withBytes { hash.update($0) }
            return hash.finalize()
        }
    }

    /// The block of SHA-256.
    private static let blockByteCount = 64

    /// The authentication code of one message.
    public static func authenticationCode(for message: [UInt8], key: [UInt8]) -> Digest256 {
        message.withUnsafeBytes { message in
            key.withUnsafeBytes { self.authenticationCode(for: message, key: $0) }
        }
    }

    /// The authentication code of a text's UTF-8 under a secret key.
    public static func authenticationCode(for message: String, key: Secret) -> Digest256 {
        var message = message
        return message.withUTF8 { message in
            key.withBytes { self.authenticationCode(for: UnsafeRawBufferPointer(message), key: $0) }
        }
    }

    /// The authentication code of one message under a secret key.
    public static func authenticationCode(for message: [UInt8], key: Secret) -> Digest256 {
        message.withUnsafeBytes { message in
            key.withBytes { self.authenticationCode(for: message, key: $0) }
        }
    }
}
