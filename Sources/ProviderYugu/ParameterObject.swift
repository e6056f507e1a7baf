internal import GatewayCore
internal import JSONScan

/// The members of a JSON object of parameters, of which only the documented ones are looked at.
///
/// Null counts as missing: the platform drops it when it reads parameters (contract yugu, section 3.3).
struct ParameterObject {
    /// What a documented member is.
    enum Kind {
        case text
        case number
        case boolean

        fileprivate var name: String {
            switch self {
            case .text: "a string"
            case .number: "a number"
            case .boolean: "true or false"
            }
        }

        fileprivate func includes(_ kind: JSONValueRange.Kind) -> Bool {
            switch (self, kind) {
            case (.text, .string), (.number, .number), (.boolean, .true), (.boolean, .false), (_, .null): true
            default: false
            }
        }
    }

    private let scanner: JSONScanner
    private let root: JSONValueRange

    /// Takes the text of a part.
    ///
    /// - Throws: 400/40001 when it is no JSON object.
    init(_ text: [UInt8], called name: String, refusingDuplicates: Bool = false) throws(GatewayError) {
        let fault: String
        do {
            let scanner = try JSONScanner(validating: text, refusingDuplicateMembers: refusingDuplicates)
            if let root = scanner.root, root.kind == .object {
                self.scanner = scanner
                self.root = root
                return
            }
            fault = "another JSON value"
        } catch {
            fault = error.description
        }
        throw .invalid("The part '\(name)' is not a JSON object: \(fault).")
    }

    /// Takes a text that was checked to be an object.
    init(_ scanner: JSONScanner, root: JSONValueRange) {
        self.scanner = scanner
        self.root = root
    }

    /// Checks the members that have a documented type; others pass.
    ///
    /// - Throws: 400/40001 that names the first one of another type.
    func check(_ kinds: [String: Kind]) throws(GatewayError) {
        for member in self.scanner.members(of: self.root) {
            guard let kind = kinds[member.key], !kind.includes(member.value.kind) else { continue }
            throw .invalid("'\(member.key)' must be \(kind.name).")
        }
    }

    /// The text of a member, or nil when it is missing; half a surrogate pair is for the platform to judge.
    func text(_ member: String) -> String? {
        guard let value = self.value(member), value.kind == .string else { return nil }
        return self.scanner.string(of: value) ?? self.scanner.literal(of: value)
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

    /// What a member is; nil when it is missing.
    func kind(_ member: String) -> JSONValueRange.Kind? {
        self.value(member)?.kind
    }

    /// A member, or nil when it is missing.
    private func value(_ member: String) -> JSONValueRange? {
        self.scanner.value(at: member).flatMap { $0.kind == .null ? nil : $0 }
    }
}
