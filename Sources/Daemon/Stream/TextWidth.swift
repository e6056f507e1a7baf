/// How many columns of a terminal a text takes: those of East Asian scripts two for each character, combining marks none.
enum TextWidth {
    static func of(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + self.of($1) }
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x300...0x36F: 0
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFF00...0xFF60, 0x20000...0x3FFFD: 2
        default: 1
        }
    }

    /// A text with blanks behind it, or in front of it.
    static func pad(_ text: String, to columns: Int, right: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, columns - self.of(text)))
        return right ? blanks + text : text + blanks
    }
}
