internal import JSONScan

/// What a client may have signed, by the kind of its request (contract yugu, section 3.4).
///
/// The platform takes forms A and B side by side, and its texts are read in two ways where numbers are not plain: any of
/// the candidates will do, each stands for the whole content.
enum SignedText {
    /// The texts of a form: A over all text parts, B with the members of `config` in its place.
    static func candidates(of parts: [ReceivedForm.Part]) -> [String] {
        var others: [(name: String, value: String)] = []
        var config: ReceivedForm.Part?
        for part in parts where !part.isFile {
            if part.name == "config" {
                config = part
            } else if part.fileName == nil {
                others.append((part.name, String(decoding: part.text, as: UTF8.self)))
            }
        }
        guard let config else { return [RequestSignature.payload(of: others)] }
        let formA = others + [("config", String(decoding: config.text, as: UTF8.self))]
        var candidates = [RequestSignature.payload(of: formA)]
        if let json = try? JSONScanner(validating: config.text, refusingDuplicateMembers: true), let root = json.root {
            candidates += Self.candidates(of: root, in: json, beside: others)
        }
        return candidates
    }

    /// The texts of a JSON object: its scalars literally, and with numbers in plain decimal.
    static func candidates(
        of object: JSONValueRange,
        in json: JSONScanner,
        beside others: [(name: String, value: String)] = []
    ) -> [String] {
        // What cannot be written out as text cannot have been signed.
        guard let scalars = try? json.scalarMembers(of: object) else { return [] }
        let plain = RequestSignature.payload(of: others + scalars)
        let numbers = json.members(of: object).filter { $0.value.kind == .number }
        let literals = Dictionary(numbers.map { ($0.key, json.literal(of: $0.value)) }) { first, _ in first }
        let literal = RequestSignature.payload(of: others + scalars.map { ($0.name, literals[$0.name] ?? $0.value) })
        return literal == plain ? [plain] : [plain, literal]
    }
}
