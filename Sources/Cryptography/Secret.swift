private import COpenSSL

/// Bytes that nothing prints: neither descriptions nor interpolation nor `dump` shows them.
///
/// Copies share one buffer, which is overwritten when the last of them goes. Equality takes a time that depends on the
/// lengths only.
public struct Secret: Sendable {
    private let storage: SecretStorage

    /// Takes a copy of bytes.
    public init(_ bytes: some Collection<UInt8>) {
        self.storage = SecretStorage(bytes)
    }

    /// Takes a text's UTF-8.
    public init(_ text: String) {
        self.init(text.utf8)
    }

    /// The number of bytes.
    public var count: Int { self.storage.bytes.count }

    /// Whether there are no bytes.
    public var isEmpty: Bool { self.storage.bytes.isEmpty }

    /// Lends the bytes for the time of the call.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(self.storage.bytes))
    }
}

extension Secret: Equatable {
    /// Whether two secrets hold the same bytes, in a time that depends on their lengths only.
    public static func == (left: Secret, right: Secret) -> Bool {
        constantTimeEqual(UnsafeRawBufferPointer(left.storage.bytes), UnsafeRawBufferPointer(right.storage.bytes))
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always the same words.
    public var description: String { "<redacted>" }

    /// Always the same words.
    public var debugDescription: String { "<redacted>" }

    /// Shows nothing that is inside.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// The buffer behind a secret.
///
/// `@unchecked Sendable`: written in the initialiser and in `deinit` only, when no one else can reach it, so no lock is
/// needed in between.
private final class SecretStorage: @unchecked Sendable, CustomReflectable {
    let bytes: UnsafeMutableRawBufferPointer

    init(_ source: some Collection<UInt8>) {
        self.bytes = .allocate(byteCount: source.count, alignment: 1)
        self.bytes.copyBytes(from: source)
    }

    deinit {
        OPENSSL_cleanse(self.bytes.baseAddress, self.bytes.count)
        self.bytes.deallocate()
    }

    var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
