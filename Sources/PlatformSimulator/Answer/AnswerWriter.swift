/// Appends JSON text to a buffer: literal pieces, strings, and scores on the scale that was asked for.
///
/// An answer has some two thousand members and benchmarks ask for thousands of answers a second, so there is no tree
/// and no dictionary: names and punctuation are literals that are copied whole.
struct AnswerWriter {
    /// What has been written.
    private(set) var bytes: [UInt8] = []
    private let factor: Double
    private let step: Double

    /// A writer of scores from 0 to `scale`, rounded to `precision` or to tenths.
    init(scale: Int = 100, precision: Double? = nil, reservingCapacity capacity: Int = 0) {
        self.factor = Double(scale) / 100
        // Numbers have three decimals at most; and what is divided by next to nothing is no number.
        self.step = max(0.001, precision ?? 0.1)
        self.bytes.reserveCapacity(capacity)
    }

    /// Writes a literal piece of JSON.
    mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { self.bytes.append(contentsOf: $0) }
    }

    /// Writes a string with its quotation marks.
    mutating func string(_ text: String) {
        self.bytes.append(UInt8(ascii: "\""))
        self.escaped(text)
        self.bytes.append(UInt8(ascii: "\""))
    }

    /// Writes text that stands inside a string.
    mutating func escaped(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                self.bytes.append(UInt8(ascii: "\\"))
                self.bytes.append(byte)
            case 0x0A:
                self.raw("\\n")
            case 0..<0x20:
                self.raw("\\u00")
                self.bytes.append(contentsOf: HexadecimalText.make(UInt64(byte), digits: 2).utf8)
            default:
                self.bytes.append(byte)
            }
        }
    }

    /// Writes a whole number.
    mutating func integer(_ value: Int) {
        if value < 0 { self.bytes.append(UInt8(ascii: "-")) }
        self.digits(value.magnitude)
    }

    private mutating func digits(_ value: UInt) {
        if value >= 10 { self.digits(value / 10) }
        self.bytes.append(UInt8(ascii: "0") + UInt8(value % 10))
    }

    /// Writes a number with up to three decimals, and none that are zero at the end.
    mutating func number(_ value: Double) {
        let thousandths = Int((value * 1_000).rounded())
        if thousandths < 0 { self.bytes.append(UInt8(ascii: "-")) }
        self.digits(thousandths.magnitude / 1_000)
        self.decimals(thousandths.magnitude % 1_000, trimmed: true)
    }

    /// Writes seconds with three decimals, as the platform's string form has them.
    mutating func seconds(_ value: Double) {
        let thousandths = UInt((max(0, value) * 1_000).rounded())
        self.digits(thousandths / 1_000)
        self.decimals(thousandths % 1_000, trimmed: false)
    }

    private mutating func decimals(_ thousandths: UInt, trimmed: Bool) {
        var rest = thousandths
        var unit: UInt = 100
        guard !trimmed || rest > 0 else { return }
        self.bytes.append(UInt8(ascii: "."))
        while unit > 0, !trimmed || rest > 0 {
            self.bytes.append(UInt8(ascii: "0") + UInt8(rest / unit))
            rest %= unit
            unit /= 10
        }
    }

    /// Writes a score, given on the scale of 100.
    mutating func score(_ value: Double) {
        self.number((value * self.factor / self.step).rounded() * self.step)
    }

    /// Writes a score, given on the scale of 100.
    mutating func score(_ value: Int) {
        self.score(Double(value))
    }

    /// Writes elements with commas between them.
    mutating func list<Elements: Collection>(
        _ elements: Elements,
        _ write: (inout AnswerWriter, Elements.Element) -> Void
    ) {
        var isFirst = true
        for element in elements {
            if !isFirst { self.bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            write(&self, element)
        }
    }

    /// Writes an array of strings with its brackets.
    mutating func strings(_ texts: [String]) {
        self.raw("[")
        self.list(texts) { $0.string($1) }
        self.raw("]")
    }
}
