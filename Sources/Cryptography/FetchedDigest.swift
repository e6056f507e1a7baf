private import COpenSSL

/// An algorithm of libcrypto, looked up once in the life of the process.
///
/// `@unchecked Sendable`: the object behind the pointer never changes after the fetch, and libcrypto guards its
/// reference count itself. It is never freed.
struct FetchedDigest: @unchecked Sendable {
    static let sha256 = FetchedDigest(sg_fetch_sha256(), named: "SHA-256")
    static let sha1 = FetchedDigest(sg_fetch_sha1(), named: "SHA-1")

    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer?, named name: StaticString) {
        // Nothing can be signed or verified without it: a libcrypto that lacks it (a provider configuration that
        // forbids it) ends the process at the first use, which is at start.
        guard let pointer else { fatalError("libcrypto offers no \(name)") }
        self.pointer = pointer
    }

    /// Hashes one message in one call.
    ///
    /// - Parameters:
    ///   - output: As long as the algorithm's digest at least.
    func digest(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        let target = output.assumingMemoryBound(to: UInt8.self).baseAddress
        let isDone = EVP_Digest(bytes.baseAddress, bytes.count, target, nil, self.pointer, nil) == 1
        precondition(isDone, "libcrypto refused to hash")
    }
}
