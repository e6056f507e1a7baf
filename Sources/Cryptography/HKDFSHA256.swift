/// Key derivation with HMAC-SHA-256 (RFC 5869).
public enum HKDFSHA256 {
    /// The most bytes that can be derived at once: 255 blocks.
    public static let maximumCount = 255 * Digest256.byteCount

    /// Derives key material.
    ///
    /// - Parameters:
    ///   - input: The secret to derive from; as random as the keys are to be.
    ///   - salt: Not secret; may be empty.
    ///   - info: What the key is for; different texts give unrelated keys.
    ///   - count: How many bytes, at most ``maximumCount``.
    public static func deriveKey(input: [UInt8], salt: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        precondition((0...self.maximumCount).contains(count), "HKDF gives 0 to \(self.maximumCount) bytes")
        let pseudorandomKey = HMACSHA256.authenticationCode(for: input, key: salt).bytes
        var output: [UInt8] = []
        output.reserveCapacity(count + Digest256.byteCount)
        var block: [UInt8] = []
        var number: UInt8 = 0
        while output.count < count {
            number += 1
            block = HMACSHA256.authenticationCode(for: block + info + [number], key: pseudorandomKey).bytes
            output += block
        }
        return Array(output.prefix(count))
    }

    /// Derives a secret from a secret.
    ///
    /// - Parameters:
    ///   - input: The secret to derive from.
    ///   - salt: Not secret; may be empty.
    ///   - info: What the key is for; different texts give unrelated keys.
    ///   - count: How many bytes, at most ``maximumCount``.
    public static func deriveKey(input: Secret, salt: [UInt8], info: [UInt8], count: Int) -> Secret {
        Secret(self.deriveKey(input: input.withBytes { [UInt8]($0) }, salt: salt, info: info, count: count))
    }
}
