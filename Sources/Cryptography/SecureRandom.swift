private import COpenSSL

/// Random bytes of cryptographic quality.
public enum SecureRandom {
    /// Random bytes from libcrypto's generator, which the kernel seeds.
    ///
    /// - Parameter count: How many.
    public static func bytes(count: Int) -> [UInt8] {
        precondition(count >= 0 && count <= Int(Int32.max), "a count of bytes")
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // Going on with weak bytes would be worse than not going on.
            guard RAND_bytes(buffer.baseAddress, Int32(count)) == 1 else { fatalError("libcrypto has no randomness") }
            initialized = count
        }
    }
}
