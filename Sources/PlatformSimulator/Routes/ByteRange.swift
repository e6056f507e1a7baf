import HTTPWire

/// One range of bytes that a request asks for (RFC 9110, section 14.1.2).
enum ByteRange: Equatable, Sendable {
    /// All of it: there is no range, or none that has to be understood.
    case whole
    case part(Range<Int>)
    /// Nothing of it exists.
    case unsatisfiable

    /// Reads `Range` and `If-Range`; of several ranges at once none is given.
    ///
    /// - Parameters:
    ///   - eTag: The validator of the content.
    ///   - count: Its bytes.
    init(_ fields: HTTPFields, eTag: String, count: Int) {
        self = .whole
        guard fields.count(of: .range) == 1, let text = fields[.range], text.hasPrefix("bytes=") else { return }
        if let condition = fields[.ifRange], condition != eTag { return }
        let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last) where ends[1].isEmpty || last.map({ $0 >= first }) == true:
            self =
                first < count
                ? .part(first..<min(last.map { $0 < count ? $0 + 1 : count } ?? count, count)) : .unsatisfiable
        case (nil, let suffix?) where ends[0].isEmpty:
            self = suffix > 0 && count > 0 ? .part(max(0, count - suffix)..<count) : .unsatisfiable
        default: return
        }
    }
}

extension HTTPField.Name {
    fileprivate static let range = HTTPField.Name(literal: "Range")
    fileprivate static let ifRange = HTTPField.Name(literal: "If-Range")
}
