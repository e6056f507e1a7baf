internal import HTTPWire

/// The parameters of a handshake's query; a platform's SDK may add others than we know.
struct HandshakeQuery: Sendable {
    private var parameters: [(name: String, value: String)] = []

    /// Reads a query; what cannot be decoded is left out.
    init(_ query: String?) {
        for pair in (query ?? "").split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decode(String(halves[0])),
                let value = PercentCoding.decode(halves.count == 2 ? String(halves[1]) : "")
            else { continue }
            self.parameters.append((name, value))
        }
    }

    /// The first value of a name; an empty one counts as missing (contract yugu, section 3.3).
    subscript(_ name: String) -> String? {
        self.parameters.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }
}
