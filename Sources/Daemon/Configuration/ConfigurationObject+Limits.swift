internal import GatewayCore

/// Limits, which null lifts.
extension ConfigurationObject {
    /// Reads a whole number within a range, or null.
    mutating func integer(_ key: String, into target: inout Int?, in range: ClosedRange<Int>) {
        self.orNull(key, into: &target, example: range.lowerBound) { $0.integer(key, into: &$1, in: range) }
    }

    /// Reads a span of time with its unit, or null.
    mutating func duration(_ key: String, into target: inout Duration?, in range: ClosedRange<Duration>) {
        self.orNull(key, into: &target, example: .seconds(3_600)) { $0.duration(key, into: &$1, in: range) }
    }

    /// Reads a rate, or null.
    mutating func rate(_ key: String, into target: inout TokenBucket.Rate?) {
        var text: String?
        self.text(key, into: &text) { RateText.rate($0) == nil ? RateText.form : nil }
        if self.has(key) { target = text.flatMap(RateText.rate) }
    }

    /// Reads an object whose members have names that the operator chose.
    mutating func objectsByName(
        _ key: String,
        fault: (String) -> String?,
        _ read: (String, inout ConfigurationObject) -> Void
    ) {
        guard let value = self.take(key) else { return }
        guard case .object(let members) = value.kind else {
            return self.mismatch(key, value, wanted: "an object in braces")
        }
        for member in members {
            let path = Self.join(Self.join(self.path, key), member.key)
            if let fault = fault(member.key) { self.report.add(path, member.position, fault) }
            let settingPath = Self.join(self.settingPath, key)
            var object = ConfigurationObject(member.value, path: path, settingPath: settingPath, report: self.report)
            read(member.key, &object)
            object.refuseUnknownKeys()
        }
    }

    private mutating func orNull<Value>(
        _ key: String,
        into target: inout Value?,
        example: Value,
        _ read: (inout ConfigurationObject, inout Value) -> Void
    ) {
        if case .null = self.value(of: key)?.kind {
            _ = self.take(key)
            target = nil
            return
        }
        var value = target ?? example
        read(&self, &value)
        if self.has(key) { target = value }
    }
}
