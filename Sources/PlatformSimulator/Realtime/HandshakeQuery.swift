import HTTPWire

/// The parameters of a realtime handshake, decoded (contract yugu, section 3.5).
struct HandshakeQuery: Sendable {
    private var parameters: [(name: String, value: String)] = []

    /// Reads the query of a target; what cannot be decoded is left out, and the signature will not fit.
    init(_ query: String?) {
        for pair in (query ?? "").split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = halves.first.flatMap({ PercentCoding.decode(String($0)) }),
                let value = PercentCoding.decode(halves.count == 2 ? String(halves[1]) : "")
            else { continue }
            self.parameters.append((name, value))
        }
    }

    /// The first value of a name; an empty one counts as missing.
    subscript(_ name: String) -> String? {
        self.parameters.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    /// What is to be signed: everything but the signature, and but what is meant for the simulator alone.
    var signedText: SignedText {
        var text = SignedText()
        for (name, value) in self.parameters where name != "signature" && name != "simFault" { text.add(name, value) }
        return text
    }
}
