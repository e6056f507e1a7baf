import Cryptography
import JSONScan

/// The text that a request's signature covers, as the platform reads it (contract yugu, sections 3.3 and 3.4).
///
/// Written from the contract for the receiving side, and from no signer: a signer's mistake must not be repeated here.
struct SignedText: Sendable {
    private var parameters: [String: String] = [:]

    /// Without parameters: the text is empty.
    init() {}

    /// Adds a parameter; a repeated name keeps its first value, as form readers do.
    ///
    /// Empty values do not take part.
    mutating func add(_ name: String, _ value: String) {
        if !value.isEmpty, self.parameters[name] == nil {
            self.parameters[name] = value
        }
    }

    /// Adds the scalar members of a JSON object; arrays, objects, nulls and empty strings do not take part.
    mutating func addMembers(of json: JSONScanner) {
        for (name, value) in Self.scalars(of: json) { self.add(name, value) }
    }

    /// The scalar members of a JSON object as texts, in order.
    static func scalars(of json: JSONScanner) -> [(name: String, value: String)] {
        guard let root = json.root, root.kind == .object else { return [] }
        return json.members(of: root).compactMap { member in
            switch member.value.kind {
            case .string: (member.key, json.string(of: member.value) ?? "")
            case .number: (member.key, Self.plainDecimal(json.literal(of: member.value)))
            case .true: (member.key, "true")
            case .false: (member.key, "false")
            case .null, .array, .object: nil
            }
        }
    }

    /// The parameters in the order of their UTF-16 code units, joined.
    var text: String {
        self.parameters
            .sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
            .map { "\($0.key)=\($0.value)" }
            .joined(separator: "&")
    }

    /// Whether a signature in Base64 is the right one for this text.
    func isSigned(by signature: String, secret: String) -> Bool {
        let code = HMACSHA256.authenticationCode(for: Array(self.text.utf8), key: Array(secret.utf8))
        return constantTimeEqual(Array(Base64.encode(code).utf8), Array(signature.utf8))
    }

    /// A JSON number without exponent and without a fraction that is zero: `1.0` is `1`, `1e-7` is `0.0000001`.
    static func plainDecimal(_ literal: String) -> String {
        var rest = literal[...]
        let isNegative = rest.first == "-"
        if isNegative { rest = rest.dropFirst() }
        let mantissa = rest.prefix { $0 != "e" && $0 != "E" }
        let exponentText = rest.dropFirst(mantissa.count + 1).drop { $0 == "+" }
        // No number that a request could mean has an exponent of more digits.
        guard let exponent = exponentText.isEmpty ? 0 : Int(exponentText), (-1_000...1_000).contains(exponent) else {
            return literal
        }
        let halves = mantissa.split(separator: ".", omittingEmptySubsequences: false)
        var digits = Array(halves[0]) + (halves.count > 1 ? Array(halves[1]) : [])
        var point = halves[0].count + exponent
        if point <= 0 {
            digits = Array(repeating: "0", count: 1 - point) + digits
            point = 1
        }
        if point > digits.count {
            digits += Array(repeating: "0", count: point - digits.count)
        }
        var whole = digits[..<point].drop { $0 == "0" }
        if whole.isEmpty { whole = ["0"] }
        var fraction = digits[point...]
        while fraction.last == "0" { fraction.removeLast() }
        let text = String(whole) + (fraction.isEmpty ? "" : "." + String(fraction))
        return isNegative && text != "0" ? "-" + text : text
    }
}
