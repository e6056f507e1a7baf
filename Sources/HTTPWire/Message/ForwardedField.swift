/// The field by which proxies tell whom they serve (RFC 7239).
public enum ForwardedField {
    /// Reads one line of the field: the `for` of each element, the farthest first, and nil where one has none (section 4).
    ///
    /// A line is read on its own: a quote that a client never closes must not swallow what a proxy adds in the next one.
    ///
    /// - Returns: Nil when any of the line is outside the grammar: where its elements begin cannot be told then.
    public static func identifiers(in line: String) -> [String?]? {
        guard let elements = Self.elements(of: Array(line.utf8)) else { return nil }
        var identifiers: [String?] = []
        for element in elements where !element.allSatisfy(ASCII.isBlank) {
            // An element is a list of parameters that lacks the separator in front.
            guard let pairs = ParameterList.parse([ASCII.semicolon] + element, backslash: .quotedPair) else {
                return nil
            }
            identifiers.append(pairs.first { $0.name == "for" }.map { String(decoding: $0.value, as: UTF8.self) })
        }
        return identifiers
    }

    /// Cuts at the commas outside of quotes (RFC 9110, section 5.6.1); nil when a quote is not closed.
    private static func elements(of bytes: [UInt8]) -> [ArraySlice<UInt8>]? {
        var elements: [ArraySlice<UInt8>] = []
        var start = 0
        var isQuoted = false
        var isEscaped = false
        for (index, byte) in bytes.enumerated() {
            if isEscaped {
                isEscaped = false
            } else if byte == ASCII.quote {
                isQuoted.toggle()
            } else if isQuoted {
                isEscaped = byte == ASCII.backslash
            } else if byte == ASCII.comma {
                elements.append(bytes[start..<index])
                start = index + 1
            }
        }
        return isQuoted ? nil : elements + [bytes[start...]]
    }
}
