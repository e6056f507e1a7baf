/// A value that `JSONWriter` can write: a string, an integer, a floating-point number, a truth value, or nil of these.
public protocol JSONWritable {
    /// Appends the value as JSON text.
    func writeJSON(to bytes: inout [UInt8])
}

extension String: JSONWritable {
    /// Appends the text in quotes, with quotes, backslashes and control characters (DEL too) escaped.
    public func writeJSON(to bytes: inout [UInt8]) {
        var text = self
        text.withUTF8 { text in
            bytes.append(UInt8(ascii: "\""))
            var plainStart = 0
            for index in 0..<text.count {
                let byte = text[index]
                guard byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F else { continue }
                bytes.append(contentsOf: text[plainStart..<index])
                Self.appendEscape(of: byte, to: &bytes)
                plainStart = index + 1
            }
            bytes.append(contentsOf: text[plainStart...])
            bytes.append(UInt8(ascii: "\""))
        }
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            for digit in [byte >> 4, byte & 0x0F] {
                bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
            }
        }
    }
}

extension JSONWritable where Self: FixedWidthInteger {
    /// Appends the decimal digits.
    public func writeJSON(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: self.description.utf8)
    }
}

extension Int: JSONWritable {}

extension Int32: JSONWritable {}

extension Int64: JSONWritable {}

extension UInt16: JSONWritable {}

extension UInt64: JSONWritable {}

extension Double: JSONWritable {
    /// Appends the shortest digits that read back as the same value; `null` for infinities and NaN, which JSON lacks.
    public func writeJSON(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: (self.isFinite ? self.description : "null").utf8)
    }
}

extension Bool: JSONWritable {
    /// Appends `true` or `false`.
    public func writeJSON(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: (self ? "true" : "false").utf8)
    }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    /// Appends the value, or `null`.
    public func writeJSON(to bytes: inout [UInt8]) {
        switch self {
        case .some(let value): value.writeJSON(to: &bytes)
        case .none: bytes.append(contentsOf: "null".utf8)
        }
    }
}
