extension JSONScanner {
    /// A scalar as form parameters and signatures spell it.
    ///
    /// A string is its characters with escapes undone; a number is written out in plain decimal digits (`1e-7` is
    /// `0.0000001`, `1.0` is `1`, `-0` is `0`, and no digit is lost); truth values are `true` and `false`.
    ///
    /// - Returns: Nil for null, an array or an object.
    /// - Throws: ``JSONScanError`` for half a surrogate pair, which no text can hold, and for a number whose exponent
    ///   is far beyond what any 64-bit number needs.
    public func scalarText(of value: JSONValueRange) throws(JSONScanError) -> String? {
        switch value.kind {
        case .null, .array, .object:
            return nil
        case .true:
            return "true"
        case .false:
            return "false"
        case .string:
            guard let text = self.string(of: value) else {
                throw JSONScanError(.loneSurrogate, at: value.range.lowerBound)
            }
            return text
        case .number:
            guard let text = self.withBytes(of: value, PlainDecimal.text(of:)) else {
                throw JSONScanError(.exponentTooLarge, at: value.range.lowerBound)
            }
            return text
        }
    }

    /// The members of an object that are scalars and not null, each as ``scalarText(of:)`` spells it, in order.
    ///
    /// - Throws: As ``scalarText(of:)``, also for a name.
    public func scalarMembers(
        of object: JSONValueRange
    ) throws(JSONScanError) -> [(name: String, value: String)] {
        var members: [(name: String, value: String)] = []
        for member in self.members(of: object) {
            guard let value = try self.scalarText(of: member.value) else { continue }
            guard let name = self.string(of: member.name) else {
                throw JSONScanError(.loneSurrogate, at: member.name.range.lowerBound)
            }
            members.append((name, value))
        }
        return members
    }

    /// The name of the outermost object's member that an offset lies in, such as that of a ``JSONScanError``.
    public func memberName(at offset: Int) -> String? {
        guard let root = self.root else { return nil }
        return self.members(of: root)
            .first { ($0.name.range.lowerBound..<$0.value.range.upperBound).contains(offset) }?.key
    }
}
