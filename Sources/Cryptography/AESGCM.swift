private import COpenSSL

/// Sealed messages: nobody without the key reads or changes them (AES-256-GCM, NIST SP 800-38D).
///
/// Each message gets a random nonce of 96 bits. One key is good for 2³² messages (section 8.3 there).
public enum AESGCM {
    /// The number of bytes of a key.
    public static let keyByteCount = 32
    private static let nonceCount = 12
    private static let tagCount = 16

    /// Seals a message.
    ///
    /// - Parameters:
    ///   - message: What is to be hidden.
    ///   - key: ``keyByteCount`` bytes.
    ///   - context: Not hidden and not in the result; opening needs the same.
    /// - Returns: The nonce, the hidden message and the tag.
    public static func seal(_ message: [UInt8], key: Secret, context: [UInt8]) -> [UInt8] {
        precondition(key.count == Self.keyByteCount, "a key has \(Self.keyByteCount) bytes")
        let nonce = SecureRandom.bytes(count: Self.nonceCount)
        var tag = [UInt8](repeating: 0, count: Self.tagCount)
        var hidden = [UInt8](repeating: 0, count: message.count)
        let isDone = key.withBytes { key in
            sg_aes_gcm_seal(
                key.assumingMemoryBound(to: UInt8.self).baseAddress,
                nonce,
                context,
                Int32(context.count),
                message,
                Int32(message.count),
                &hidden,
                &tag
            ) == 1
        }
        precondition(isDone, "libcrypto refused to seal")
        return nonce + hidden + tag
    }

    /// Opens what ``seal(_:key:context:)`` made; nil for anything else.
    public static func open(_ sealed: [UInt8], key: Secret, context: [UInt8]) -> [UInt8]? {
        precondition(key.count == Self.keyByteCount, "a key has \(Self.keyByteCount) bytes")
        guard sealed.count >= Self.nonceCount + Self.tagCount else { return nil }
        let nonce = Array(sealed.prefix(Self.nonceCount))
        let hidden = Array(sealed.dropFirst(Self.nonceCount).dropLast(Self.tagCount))
        var tag = Array(sealed.suffix(Self.tagCount))
        var message = [UInt8](repeating: 0, count: hidden.count)
        let isDone = key.withBytes { key in
            sg_aes_gcm_open(
                key.assumingMemoryBound(to: UInt8.self).baseAddress,
                nonce,
                context,
                Int32(context.count),
                hidden,
                Int32(hidden.count),
                &message,
                &tag
            ) == 1
        }
        return isDone ? message : nil
    }
}
