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
        let value: [UInt8]
    }

    /// Reads all parameters from `start` to the end; nil when they are outside the grammar or a name comes twice.
    static func parse(_ bytes: [UInt8], from start: Int, backslash: Backslash) -> [Parameter]? {
        var result: [Parameter] = []
        var index = start
        while true {
            self.skipBlanks(bytes, &index)
            guard index < bytes.count else { return result }
            guard bytes[index] == ASCII.semicolon else { return nil }
            index += 1
            self.skipBlanks(bytes, &index)
            guard index < bytes.count, bytes[index] != ASCII.semicolon else { continue }
            guard let name = self.token(bytes, &index), index < bytes.count, bytes[index] == ASCII.equals else {
                return nil
            }
            index += 1
            let value: [UInt8]
            if index < bytes.count, bytes[index] == ASCII.quote {
                guard let text = self.quoted(bytes, &index, backslash) else { return nil }
                value = text
            } else {
                guard let text = self.token(bytes, &index) else { return nil }
                value = Array(text)
            }
            let key = String(decoding: name.map(HTTPToken.lowercased), as: UTF8.self)
            guard !result.contains(where: { $0.name == key }) else { return nil }
            result.append(Parameter(name: key, value: value))
        }
    }

    /// Reads a token of at least one byte.
    static func token(_ bytes: [UInt8], _ index: inout Int) -> ArraySlice<UInt8>? {
        let start = index
        while index < bytes.count, ByteSet.token.contains(bytes[index]) { index += 1 }
        return index > start ? bytes[start..<index] : nil
    }

    private static func skipBlanks(_ bytes: [UInt8], _ index: inout Int) {
        while index < bytes.count, ASCII.isBlank(bytes[index]) { index += 1 }
    }

    private static func quoted(_ bytes: [UInt8], _ index: inout Int, _ backslash: Backslash) -> [UInt8]? {
        var result: [UInt8] = []
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case ASCII.quote:
                return result
            case ASCII.backslash:
                guard index < bytes.count else { return nil }
                let next = bytes[index]
                guard HTTPToken.isFieldValueByte(next) else { return nil }
                if backslash == .quotedPair || next == ASCII.quote || next == ASCII.backslash {
                    result.append(next)
                    index += 1
                } else {
                    result.append(byte)
                }
            default:
                guard HTTPToken.isFieldValueByte(byte) else { return nil }
                result.append(byte)
            }
        }
        return nil
    }
}
