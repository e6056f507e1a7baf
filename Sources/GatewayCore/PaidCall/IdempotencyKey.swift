internal import Cryptography
public import HTTPWire

/// A key under which a call is executed at most once: `[\x21-\x7E]{1,200}` (contract yugu, section 7.1).
public struct IdempotencyKey: Hashable, Sendable {
    /// The key as the client sent it, or as we made it.
    public let text: String

    /// Takes a key, or nil when it breaks the grammar.
    public init?(_ text: String) {
        guard (1...200).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        self.text = text
    }

    private init(generated text: String) {
        self.text = text
    }

    /// A fresh key of 32 hex digits, as the SDKs make them.
    static func generate() -> IdempotencyKey {
        IdempotencyKey(generated: Hex.encode(SecureRandom.bytes(count: 16)))
    }

    /// The key of a request: both spellings of the field, which must agree; a fresh key when there is none.
    ///
    /// - Throws: 400/40001 for a malformed key or two that differ.
    public init(of head: HTTPRequestHead) throws(GatewayError) {
        var texts = head.fields.values(of: .idempotencyKey)
        texts += head.fields.values(of: .xIdempotencyKey)
        guard let first = texts.first else {
            self = Self.generate()
            return
        }
        guard texts.allSatisfy({ $0 == first }) else {
            throw .invalid("Two different idempotency keys were sent; send one.")
        }
        guard let key = IdempotencyKey(first) else {
            throw .invalid("Idempotency-Key must be 1 to 200 printable ASCII characters without spaces.")
        }
        self = key
    }
}
