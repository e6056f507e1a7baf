private import COpenSSL

/// SHA-256 (FIPS 180-4) over bytes that arrive piece by piece.
///
/// One value serves any number of messages in turn: ``finalize()`` returns the digest of what was taken since the last
/// one and begins anew, in the same context. Pieces are hashed where they lie.
///
/// ```swift
/// var hash = SHA256()
/// hash.update(piece)
/// let digest = hash.finalize()
/// ```
public struct SHA256: ~Copyable {
    private let context: OpaquePointer
    // Starting a message is put off to its first byte, so that the last `finalize()` of a value costs nothing extra.
    private var isStarted = false

    /// Makes a hash that has taken nothing yet.
    public init() {
        guard let context = EVP_MD_CTX_new() else { fatalError("libcrypto is out of memory") }
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(self.context)
    }

    /// Takes the next bytes of the message; they are lent for the time of the call.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        self.startIfNeeded()
        let isDone = EVP_DigestUpdate(self.context, base, bytes.count) == 1
        precondition(isDone, "libcrypto refused to hash")
    }

    /// Takes the next bytes of the message.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { self.update($0) }
    }

    /// Takes a text's UTF-8 as the next bytes of the message.
    public mutating func update(_ text: String) {
        var text = text
        text.withUTF8 { self.update(UnsafeRawBufferPointer($0)) }
    }

    /// Ends the message and begins the next one.
    ///
    /// - Returns: The digest of all bytes since the start or the last call.
    public mutating func finalize() -> Digest256 {
        self.startIfNeeded()
        self.isStarted = false
        return Digest256(filledBy: { output in
            let target = output.assumingMemoryBound(to: UInt8.self).baseAddress
            let isDone = EVP_DigestFinal_ex(self.context, target, nil) == 1
            precondition(isDone, "libcrypto refused to finish a hash")
        })
    }

    private mutating func startIfNeeded() {
        guard !self.isStarted else { return }
        let isDone = EVP_DigestInit_ex2(self.context, FetchedDigest.sha256.pointer, nil) == 1
        precondition(isDone, "libcrypto refused to start a hash")
        self.isStarted = true
    }

    /// The digest of one message.
    public static func hash(of bytes: UnsafeRawBufferPointer) -> Digest256 {
        Digest256(filledBy: { FetchedDigest.sha256.digest(bytes, into: $0) })
    }

    /// The digest of one message.
    public static func hash(of bytes: [UInt8]) -> Digest256 {
        bytes.withUnsafeBytes { self.hash(of: $0) }
    }

    /// The digest of a text's UTF-8.
    public static func hash(of text: String) -> Digest256 {
        var text = text
        return text.withUTF8 { self.hash(of: UnsafeRawBufferPointer($0)) }
    }
}

/// The context is reachable through this one value only, and no method that touches it is non-mutating: whoever holds
/// the value exclusively holds the context exclusively, so no lock is needed.
extension SHA256: @unchecked Sendable {}
