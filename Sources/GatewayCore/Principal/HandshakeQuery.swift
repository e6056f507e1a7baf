internal import HTTPWire

/// What the query of a WebSocket handshake says (contract yugu, section 3.5): the values are decoded.
///
/// It holds credentials, so it prints nothing of itself, and no query reaches a log.
public struct HandshakeQuery: Sendable, CustomStringConvertible {
    private static let known: Set<String> = [
        "appKey", "timestamp", "nonce", "signature", "token", "idempotencyKey", "bufferPolicy",
    ]

    private var values: [String: String] = [:]
    /// All that is signed, in the order of the query.
    private var signed: [(name: String, value: String)] = []
    /// The key of every round that names none of its own (contract yugu, section 7.1).
    public let idempotencyKey: IdempotencyKey?

    /// Reads a query; what it does not know it leaves alone.
    ///
    /// - Throws: 400/40001 with the name of a member that is malformed or comes twice.
    public init(_ query: String?) throws(GatewayError) {
        for pair in (query ?? "").split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decode(String(halves[0])) else { continue }
            guard Self.known.contains(name) else {
                // An SDK signs whatever it puts into the query.
                self.signed.append((name, halves.count == 2 ? PercentCoding.decode(String(halves[1])) ?? "" : ""))
                continue
            }
            guard halves.count == 2, let value = PercentCoding.decode(String(halves[1])) else {
                throw .invalid("\(name): the value must be UTF-8, percent-encoded: \(name)=VALUE.")
            }
            guard self.values.updateValue(value, forKey: name) == nil else {
                throw .invalid("\(name): the member stands in the query twice; send it once.")
            }
            if name != "signature" { self.signed.append((name, value)) }
        }
        self.idempotencyKey = self.values["idempotencyKey"].flatMap { IdempotencyKey($0) }
        guard self.idempotencyKey != nil || self["idempotencyKey"] == nil else {
            throw .invalid("idempotencyKey: 1 to 200 printable ASCII characters without spaces are wanted.")
        }
    }

    /// A value; an empty one is none, as it is not signed either (contract yugu, section 3.3).
    subscript(_ name: String) -> String? {
        self.values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Nothing of the content.
    public var description: String { "handshake query" }

    /// Whether a signature is meant.
    var isSigned: Bool { self["appKey"] != nil || self["signature"] != nil }

    /// The texts that may be signed: of all that stands there, as the contract has it, or of what it names.
    var payloads: [String] {
        let named = ["appKey", "timestamp", "nonce", "idempotencyKey"].map { (name: $0, value: self[$0] ?? "") }
        return [RequestSignature.payload(of: self.signed), RequestSignature.payload(of: named)]
    }
}
