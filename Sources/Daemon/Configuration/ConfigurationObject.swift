/// One object of a configuration while it is read: each setting is asked for once, with its range, and what was not
/// asked for is an unknown key.
///
/// A setting that is absent keeps the value it has. A setting that is wrong is reported and keeps its value too, so
/// that reading goes on and finds the other faults.
struct ConfigurationObject {
    /// The path of this object, empty for the outermost.
    let path: String
    /// Where the object begins; nil when the file does not have it.
    let position: SourcePosition?
    let report: ConfigurationReport
    /// The path without the indexes of list elements: one name per setting.
    let settingPath: String
    private let members: [JSON5Member]
    private var known: [String] = []

    /// Takes a value that should be an object; nil stands for an absent one.
    init(_ value: JSON5Value?, path: String, settingPath: String? = nil, report: ConfigurationReport) {
        self.path = path
        self.settingPath = settingPath ?? path
        self.position = value?.position
        self.report = report
        switch value?.kind {
        case .object(let members):
            self.members = members
        case nil:
            self.members = []
        default:
            self.members = []
            let name = path.isEmpty ? nil : path
            report.add(
                name,
                value?.position,
                "an object in braces is wanted, not \(value?.kindDescription ?? "nothing")"
            )
        }
    }

    /// The path of a key in an object.
    static func join(_ path: String, _ key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }

    /// Reports every member that was never asked for; the last thing to do with an object.
    func refuseUnknownKeys() {
        for member in self.members where !self.known.contains(member.key) {
            self.report.addUnknown(member.key, in: self.path, siblings: self.known, position: member.position)
        }
    }

    /// Reports that a key is wrong.
    func refuse(_ key: String, _ message: String) {
        let position = self.members.first { $0.key == key }?.position ?? self.position
        self.report.add(Self.join(self.path, key), position, message)
    }

    /// Whether the file has the key.
    func has(_ key: String) -> Bool {
        self.value(of: key) != nil
    }

    /// What the file says of a key, without asking for the setting.
    func value(of key: String) -> JSON5Value? {
        self.members.first { $0.key == key }?.value
    }

    /// Asks for a setting.
    mutating func take(_ key: String) -> JSON5Value? {
        self.known.append(key)
        self.report.addKnown(Self.join(self.settingPath, key))
        return self.value(of: key)
    }

    /// A text in quotation marks as a message may show it: short, on one line.
    static func quoted(_ text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(60) {
            shown.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar)
        }
        return "\"\(shown)\(text.unicodeScalars.count > 60 ? "…" : "")\""
    }

    /// Reports a value of another kind.
    func mismatch(_ key: String, _ value: JSON5Value, wanted: String) {
        if case .null = value.kind {
            self.refuse(key, "\(wanted) is wanted, not null; leave the key out to get the default")
        } else {
            self.refuse(key, "\(wanted) is wanted, not \(value.kindDescription)")
        }
    }

    // MARK: - Scalars

    /// Reads a text; `fault` names what is wrong with it, or answers nil.
    mutating func text(_ key: String, into target: inout String, fault: (String) -> String? = { _ in nil }) {
        guard let value = self.take(key) else { return }
        guard case .string(let text) = value.kind else {
            return self.mismatch(key, value, wanted: "a text in quotation marks")
        }
        if let fault = fault(text) { return self.refuse(key, fault) }
        target = text
    }

    /// Reads a text or null.
    mutating func text(_ key: String, into target: inout String?, fault: (String) -> String? = { _ in nil }) {
        guard let value = self.take(key) else { return }
        switch value.kind {
        case .null:
            target = nil
        case .string(let text):
            if let fault = fault(text) { return self.refuse(key, fault) }
            target = text
        default:
            self.mismatch(key, value, wanted: "a text in quotation marks, or null,")
        }
    }

    /// Reads `true` or `false`.
    mutating func boolean(_ key: String, into target: inout Bool) {
        guard let value = self.take(key) else { return }
        guard case .boolean(let flag) = value.kind else { return self.mismatch(key, value, wanted: "true or false") }
        target = flag
    }

    /// Reads a whole number within a range.
    mutating func integer(_ key: String, into target: inout Int, in range: ClosedRange<Int>) {
        guard let value = self.take(key) else { return }
        guard case .number(let number) = value.kind else { return self.mismatch(key, value, wanted: "a whole number") }
        switch number {
        case .integer(let whole) where range.contains(whole):
            target = whole
        case .integer(let whole):
            self.refuse(key, "\(whole) is out of range; \(range.lowerBound) to \(range.upperBound) is possible")
        case .fraction:
            self.refuse(key, "a whole number is wanted, not one with a fraction or an exponent")
        case .notFinite(let text):
            self.refuse(key, "a whole number is wanted, not \(text)")
        }
    }

    /// Reads a number within a range.
    mutating func fraction(_ key: String, into target: inout Double, in range: ClosedRange<Double>) {
        guard let value = self.take(key) else { return }
        guard case .number(let number) = value.kind else { return self.mismatch(key, value, wanted: "a number") }
        let candidate: Double
        switch number {
        case .integer(let whole): candidate = Double(whole)
        case .fraction(let fraction): candidate = fraction
        case .notFinite(let text): return self.refuse(key, "a finite number is wanted, not \(text)")
        }
        guard range.contains(candidate) else {
            return self.refuse(
                key,
                "\(candidate) is out of range; \(range.lowerBound) to \(range.upperBound) is possible"
            )
        }
        target = candidate
    }

    /// Reads one word of a closed set.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ key: String, into target: inout Choice)
    where Choice.RawValue == String {
        guard let value = self.take(key) else { return }
        let words = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        guard case .string(let text) = value.kind else { return self.mismatch(key, value, wanted: "one of \(words)") }
        guard let choice = Choice(rawValue: text) else {
            let near = Spelling.nearest(to: text, among: Choice.allCases.map(\.rawValue))
            let advice = near.map { "; did you mean \"\($0)\"?" } ?? ""
            return self.refuse(key, "one of \(words) is wanted, not \(Self.quoted(text))\(advice)")
        }
        target = choice
    }

    /// Reads a span of time with its unit.
    mutating func duration(_ key: String, into target: inout Duration, in range: ClosedRange<Duration>) {
        guard let value = self.take(key) else { return }
        let wanted = "a duration with its unit (ms, s, m, h, d), for example \"\(target.configurationText)\","
        guard case .string(let text) = value.kind else { return self.mismatch(key, value, wanted: wanted) }
        guard let duration = Duration(configurationText: text) else {
            return self.refuse(key, "\(wanted) is wanted, not \(Self.quoted(text))")
        }
        guard range.contains(duration) else {
            let lower = range.lowerBound.configurationText
            let upper = range.upperBound.configurationText
            return self.refuse(key, "\(Self.quoted(text)) is out of range; \"\(lower)\" to \"\(upper)\" is possible")
        }
        target = duration
    }

    /// Reads a size with its unit.
    mutating func size(_ key: String, into target: inout ByteCount, in range: ClosedRange<ByteCount>) {
        guard let value = self.take(key) else { return }
        let wanted = "a size with its unit (B, KiB, MiB, GiB), for example \"\(target)\","
        guard case .string(let text) = value.kind else { return self.mismatch(key, value, wanted: wanted) }
        guard let size = ByteCount(text) else {
            return self.refuse(key, "\(wanted) is wanted, not \(Self.quoted(text))")
        }
        guard range.contains(size) else {
            let possible = "\"\(range.lowerBound)\" to \"\(range.upperBound)\" is possible"
            return self.refuse(key, "\(Self.quoted(text)) is out of range; \(possible)")
        }
        target = size
    }

    // MARK: - Structure

    /// Reads an object within this one, also when the file does not have it, so that its settings become known.
    mutating func object(_ key: String, _ read: (inout ConfigurationObject) -> Void) {
        let value = self.take(key)
        var object = ConfigurationObject(
            value,
            path: Self.join(self.path, key),
            settingPath: Self.join(self.settingPath, key),
            report: self.report
        )
        read(&object)
        object.refuseUnknownKeys()
    }

    /// Reads a list of objects; nil when the key is absent or no list.
    mutating func objects<Element>(
        _ key: String,
        _ read: (inout ConfigurationObject) -> Element?
    ) -> [Element]? {
        guard let value = self.take(key) else { return nil }
        guard case .array(let elements) = value.kind else {
            self.mismatch(key, value, wanted: "a list in brackets")
            return nil
        }
        var result: [Element] = []
        for (index, element) in elements.enumerated() {
            let path = Self.join(self.path, "\(key)[\(index)]")
            let settingPath = Self.join(self.settingPath, key)
            var object = ConfigurationObject(element, path: path, settingPath: settingPath, report: self.report)
            if let element = read(&object) { result.append(element) }
            object.refuseUnknownKeys()
        }
        return result
    }

    /// Reads a list of texts, or one text alone as a list of one; nil when the key is absent or wrong.
    mutating func texts(_ key: String) -> [String]? {
        guard let value = self.take(key) else { return nil }
        switch value.kind {
        case .string(let text):
            return [text]
        case .array(let elements):
            var result: [String] = []
            for (index, element) in elements.enumerated() {
                guard case .string(let text) = element.kind else {
                    let path = Self.join(self.path, "\(key)[\(index)]")
                    let message = "a text in quotation marks is wanted, not \(element.kindDescription)"
                    self.report.add(path, element.position, message)
                    continue
                }
                result.append(text)
            }
            return result
        default:
            self.mismatch(key, value, wanted: "a list of texts")
            return nil
        }
    }

    /// Reads a list of texts, or null.
    mutating func texts(_ key: String, into target: inout [String]?) {
        if case .null? = self.value(of: key)?.kind {
            _ = self.take(key)
            target = nil
        } else if let texts = self.texts(key) {
            target = texts
        }
    }

    /// Reads where a secret comes from.
    ///
    /// A secret that is written into the file itself is refused and never repeated.
    mutating func secret(_ key: String, into target: inout SecretReference?) {
        guard let value = self.take(key) else { return }
        switch value.kind {
        case .null:
            target = nil
        case .object(let members):
            guard members.count == 1, let member = members.first, case .string(let name) = member.value.kind,
                let source = SecretReference.Source(rawValue: member.key)
            else { return self.refuse(key, "\(SecretReference.forms) is wanted, with exactly one member") }
            guard !name.isEmpty, !name.contains("\0") else {
                return self.refuse(key, "the name behind \"\(member.key)\" is empty or holds a NUL")
            }
            if source == .credential, name.contains("/") {
                return self.refuse(key, "a credential is the name of a file in $CREDENTIALS_DIRECTORY, without a slash")
            }
            target = SecretReference(source: source, name: name)
        case .string:
            self.refuse(key, "a secret never stands in this file; put it elsewhere and write \(SecretReference.forms)")
        default:
            self.refuse(key, "\(SecretReference.forms) is wanted, not \(value.kindDescription)")
        }
    }
}
