private import COpenSSL

/// A message authentication algorithm of libcrypto, looked up once in the life of the process.
///
/// `@unchecked Sendable`: the object behind the pointer never changes after the fetch, and libcrypto guards its
/// reference count itself. It is never freed.
struct FetchedMAC: @unchecked Sendable {
    static let gmac = FetchedMAC(sg_fetch_gmac(), named: "GMAC")

    let pointer: OpaquePointer

    private init(_ pointer: OpaquePointer?, named name: StaticString) {
        // As with digests: a libcrypto that lacks it ends the process at the first use, which is at start.
        guard let pointer else { fatalError("libcrypto offers no \(name)") }
        self.pointer = pointer
    }
}
