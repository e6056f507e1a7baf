private import COpenSSL

/// A digest under a secret key, over bytes that arrive piece by piece: tells contents apart, and signs nothing.
///
/// It is AES-128-GMAC (NIST SP 800-38D) with an initialisation vector that is always zero, over recordings more than
/// four times as fast as SHA-256. One value serves any number of messages in turn: ``finalize()`` returns the tag of what
/// was taken since the last one and begins anew, in the same context and with the same key schedule.
///
/// ```swift
/// var digest = KeyedDigest(key: key)
/// digest.update(piece)
/// let tag = digest.finalize()
/// ```
///
/// ## Why the vector may be zero
/// A message authentication code needs a new vector for each message, because its tags are shown to those who would
/// forge them: two tags under one vector tell enough of the key to make more. Here tags never leave the server and are
/// only compared for equality, so what remains of the construction is a keyed universal hash: a polynomial over the
/// message's blocks of 16 bytes, at a point that the key makes. Whoever knows neither key nor tags finds no collision:
/// two different messages of at most *n* blocks have one tag with a probability of at most (*n* + 1) / 2¹²⁸. Whoever has
/// stolen the database, and the key with it, can make collisions; since tags are compared only under the sender's own
/// idempotency key, he could only make his own key answer with his own older result.
///
/// So a tag that leaves the server needs another construction, ``HMACSHA256`` for one.
public struct KeyedDigest: ~Copyable {
    /// The number of bytes of a key.
    public static let keyByteCount = 16

    private let context: OpaquePointer
    // Starting a message is put off to its first byte, so that the last `finalize()` of a value costs nothing extra.
    private var isStarted: Bool

    /// Makes a digest that has taken nothing yet.
    ///
    /// - Parameter key: ``keyByteCount`` random bytes.
    public init(key: Secret) {
        precondition(key.count == Self.keyByteCount, "a key has \(Self.keyByteCount) bytes")
        guard let context = EVP_MAC_CTX_new(FetchedMAC.gmac.pointer) else { fatalError("libcrypto is out of memory") }
        let isDone = key.withBytes { key in
            sg_gmac_set_key(context, key.assumingMemoryBound(to: UInt8.self).baseAddress, key.count) == 1
        }
        precondition(isDone, "libcrypto refused a key")
        self.context = context
        self.isStarted = true
    }

    private init(owning context: OpaquePointer) {
        self.context = context
        self.isStarted = false
    }

    deinit {
        EVP_MAC_CTX_free(self.context)
    }

    /// Makes another digest under the same key, that has taken nothing yet.
    ///
    /// This copies the key schedule, which takes a third of the time of making one and none of libcrypto's locks.
    public func makeAnother() -> KeyedDigest {
        guard let copy = EVP_MAC_CTX_dup(self.context) else { fatalError("libcrypto is out of memory") }
        return KeyedDigest(owning: copy)
    }

    /// Takes the next bytes of the message; they are lent for the time of the call.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        self.startIfNeeded()
        let isDone = EVP_MAC_update(self.context, base, bytes.count) == 1
        precondition(isDone, "libcrypto refused to hash")
    }

    /// Takes the next bytes of the message.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { self.update($0) }
    }

    /// Ends the message and begins the next one.
    ///
    /// - Returns: The tag of all bytes since the start or the last call.
    public mutating func finalize() -> Tag {
        self.startIfNeeded()
        self.isStarted = false
        return Tag(filledBy: { output in
            let target = output.assumingMemoryBound(to: UInt8.self).baseAddress
            var count = 0
            let isDone = EVP_MAC_final(self.context, target, &count, output.count) == 1
            precondition(isDone && count == output.count, "libcrypto refused to finish a hash")
        })
    }

    private mutating func startIfNeeded() {
        guard !self.isStarted else { return }
        precondition(sg_gmac_restart(self.context) == 1, "libcrypto refused to start a hash")
        self.isStarted = true
    }
}

/// The context is reachable through this one value only. What changes it is mutating, and the one method that is not
/// only reads it: any number of threads may make copies of a value at a time, so no lock is needed.
extension KeyedDigest: @unchecked Sendable {}

extension KeyedDigest {
    /// Sixteen bytes: what a message digests to.
    ///
    /// Nothing prints it, for tags of known messages tell enough of the key to make collisions.
    public struct Tag: Sendable {
        // Two words in memory order: no allocation.
        private var words: (UInt64, UInt64) = (0, 0)

        /// Makes a value whose 16 bytes the closure fills; they are zero before.
        fileprivate init(filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
            withUnsafeMutableBytes(of: &self.words, fill)
        }

        /// Lends the 16 bytes for the time of the call.
        public func withBytes<Result, Failure: Error>(
            _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try withUnsafeBytes(of: self.words, body)
        }
    }
}

extension KeyedDigest.Tag: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same words.
    public var description: String { "<redacted>" }

    /// Always the same words.
    public var debugDescription: String { "<redacted>" }

    /// Shows nothing that is inside.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
