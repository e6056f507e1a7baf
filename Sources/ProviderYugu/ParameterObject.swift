internal import GatewayCore
internal import JSONScan

/// The members of a JSON object of parameters, of which only the documented ones are looked at.
///
/// Null counts as missing: the platform drops it when it reads parameters (contract yugu, section 3.3).
struct ParameterObject {
    private let name: String
    private let scanner: JSONScanner

    /// Takes the text of a part.
    ///
    /// - Throws: 400/40001 when it is no JSON object.
    init(_ text: [UInt8], called name: String, refusingDuplicates: Bool = false) throws(GatewayError) {
        let fault: String
        do {
            let scanner = try JSONScanner(validating: text, refusingDuplicateMembers: refusingDuplicates)
            if scanner.root?.kind == .object {
                self.name = name
                self.scanner = scanner
                return
            }
            fault = "another JSON value"
        } catch {
            fault = error.description
        }
        throw .invalid("The part '\(name)' is not a JSON object: \(fault).")
    }

    /// The text of a member, or nil when it is missing.
    func text(_ member: String) throws(GatewayError) -> String? {
        guard let value = self.value(member) else { return nil }
        guard value.kind == .string else { throw self.wrongType(member, "a string") }
        // Half a surrogate pair is for the platform to judge.
        return self.scanner.string(of: value) ?? self.scanner.literal(of: value)
    }

    /// - Throws: 400/40001 when the member is there and no number.
    func checkNumber(_ member: String) throws(GatewayError) {
        guard let value = self.value(member), value.kind != .number else { return }
        throw self.wrongType(member, "a number")
    }

    /// - Throws: 400/40001 when the member is there and neither true nor false.
    func checkBoolean(_ member: String) throws(GatewayError) {
        guard let value = self.value(member), self.scanner.bool(of: value) == nil else { return }
        throw self.wrongType(member, "true or false")
    }

    /// The text of a scalar member as it is merged with text fields; nil for what is not merged.
    func scalar(_ member: String) -> String? {
        guard let value = self.value(member) else { return nil }
        return switch value.kind {
        case .string: self.scanner.string(of: value)
        case .number, .true, .false: self.scanner.literal(of: value)
        case .object, .array, .null: nil
        }
    }

    private func value(_ member: String) -> JSONValueRange? {
        self.scanner.value(at: member).flatMap { $0.kind == .null ? nil : $0 }
    }

    private func wrongType(_ member: String, _ wanted: String) -> GatewayError {
        .invalid("'\(member)' in the part '\(self.name)' must be \(wanted).")
    }
}
