/// A piece of a reference text that is read and scored: a Chinese character, or a word of another script.
struct TextUnit: Hashable, Sendable {
    /// The text without surrounding punctuation.
    var text: String
    /// Whether it is a Chinese character.
    var isChinese: Bool
}

/// A sentence of a reference text with the places of its units.
struct TextSentence: Hashable, Sendable {
    /// The text with its punctuation, without surrounding blanks.
    var text: String
    /// Which of all units belong to it.
    var units: Range<Int>
}

/// A reference text taken apart (contract yugu, section 10.3): Chinese by character, English by token separated by
/// blanks; punctuation and blanks are no units.
struct TextUnits: Sendable {
    private(set) var units: [TextUnit] = []
    private(set) var sentences: [TextSentence] = []

    /// Takes a text apart.
    ///
    /// - Parameter byLetter: Whether every letter is a unit, as when the alphabet is read.
    init(_ text: String, byLetter: Bool = false) {
        var word = String.UnicodeScalarView()
        var sentence = String.UnicodeScalarView()
        var start = 0

        func endWord() {
            // What surrounds a word belongs to the sentence only; apostrophes and hyphens within it stay.
            while let last = word.last, !Self.isWordScalar(last) { word.removeLast() }
            if !word.isEmpty {
                self.units.append(TextUnit(text: String(word), isChinese: false))
                word.removeAll()
            }
        }
        func endSentence() {
            endWord()
            let text = Self.trimmed(sentence)
            if self.units.count > start {
                self.sentences.append(TextSentence(text: text, units: start..<self.units.count))
            }
            sentence.removeAll()
            start = self.units.count
        }

        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            sentence.append(scalar)
            if Self.isChinese(scalar) {
                endWord()
                self.units.append(TextUnit(text: String(scalar), isChinese: true))
            } else if Self.isWordScalar(scalar) {
                word.append(scalar)
                if byLetter { endWord() }
            } else if scalar.properties.isWhitespace {
                endWord()
                if scalar == "\n" { endSentence() }
            } else if !word.isEmpty {
                word.append(scalar)
            }
            let isLast = index + 1 == scalars.count
            if Self.endsSentence(scalar, next: isLast ? nil : scalars[index + 1]) { endSentence() }
        }
        endSentence()
    }

    /// Takes syllables such as `chong2` for characters, where there is no other text.
    init(syllables: [String]) {
        self.units = syllables.map { TextUnit(text: $0, isChinese: true) }
        self.sentences = [TextSentence(text: syllables.joined(separator: " "), units: self.units.indices)]
    }

    /// Whether a scalar is a Chinese character: the unified ideographs, their extensions and the zero.
    static func isChinese(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x4E00...0x9FFF, 0x3400...0x4DBF, 0xF900...0xFAFF, 0x20000...0x323AF, 0x3007: true
        default: false
        }
    }

    private static func isWordScalar(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9": return true
            default: return false
            }
        }
        return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

    /// A full stop ends a sentence only before a blank or at the end, so that `3.5` and `e.g.` stay whole.
    private static func endsSentence(_ scalar: Unicode.Scalar, next: Unicode.Scalar?) -> Bool {
        switch scalar {
        case "\u{3002}", "\u{FF01}", "\u{FF1F}", "\u{FF1B}": true
        case ".", "!", "?": next.map { $0.properties.isWhitespace } ?? true
        default: false
        }
    }

    private static func trimmed(_ scalars: String.UnicodeScalarView) -> String {
        var rest = scalars[...]
        while let first = rest.first, first.properties.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.properties.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}
