/// Parameters of the form `; name=value; name="value"` (RFC 9110, section 5.6.6).
enum ParameterList {
    /// What a backslash inside quotes means.
    enum Backslash {
        /// It stands before any character that is meant literally (RFC 9110, section 5.6.4).
        case quotedPair
        /// It does so only before a quote or another backslash: clients put Windows paths into file names as they are.
        case formData
    }

    /// One parameter; the name is in lower case.
    struct Parameter {
        let name: String
        let value: ArraySlice<UInt8>
    }

    /// Reads all parameters; nil when they are outside the grammar or a name comes twice.
    static func parse(_ bytes: ArraySlice<UInt8>, backslash: Backslash) -> [Parameter]? {
        var rest = bytes
        var result: [Parameter] = []
        while true {
            self.skipBlanks(&rest)
            guard let separator = rest.popFirst() else { return result }
            guard separator == ASCII.semicolon else { return nil }
            self.skipBlanks(&rest)
            guard let first = rest.first, first != ASCII.semicolon else { continue }
            guard let name = self.token(&rest).map(HTTPToken.lowercased), rest.popFirst() == ASCII.equals,
                let value = self.value(&rest, backslash),
                !result.contains(where: { $0.name == name })
            else { return nil }
            result.append(Parameter(name: name, value: value))
        }
    }

    /// Takes a token of at least one byte from the front.
    static func token(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let token = rest.prefix(while: ByteSet.token.contains)
        rest = rest[token.endIndex...]
        return token.isEmpty ? nil : token
    }

    private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop(while: ASCII.isBlank)
    }

    private static func value(_ rest: inout ArraySlice<UInt8>, _ backslash: Backslash) -> ArraySlice<UInt8>? {
        rest.first == ASCII.quote ? self.quoted(&rest, backslash) : self.token(&rest)
    }

    private static func quoted(_ rest: inout ArraySlice<UInt8>, _ backslash: Backslash) -> ArraySlice<UInt8>? {
        rest.removeFirst()
        var isEscaped = false
        let end = rest.firstIndex { byte in
            defer { isEscaped = byte == ASCII.backslash && !isEscaped }
            return byte == ASCII.quote && !isEscaped
        }
        guard let end, rest[..<end].allSatisfy(HTTPToken.isFieldValueByte) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return self.unescaped(rest[..<end], backslash)
    }

    private static func unescaped(_ text: ArraySlice<UInt8>, _ backslash: Backslash) -> ArraySlice<UInt8> {
        guard text.contains(ASCII.backslash) else { return text }
        var result: ArraySlice<UInt8> = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == ASCII.backslash, let next = rest.first,
                backslash == .quotedPair || next == ASCII.quote || next == ASCII.backslash
            {
                result.append(next)
                rest.removeFirst()
            } else {
                result.append(byte)
            }
        }
        return result
    }
}
