/// Builds Prometheus' text exposition format, version 0.0.4.
struct MetricsText {
    typealias Label = (name: String, value: String)

    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    private(set) var bytes: [UInt8] = []

    mutating func begin(_ name: String, _ help: String, _ kind: Kind) {
        self.append("# HELP \(name) ")
        self.appendEscaped(help, quotes: false)
        self.append("\n# TYPE \(name) \(kind.rawValue)\n")
    }

    mutating func sample(_ name: String, _ labels: [Label] = [], value: UInt64) {
        self.sample(name, labels, text: "\(value)")
    }

    mutating func sample(_ name: String, _ labels: [Label] = [], value: Double) {
        self.sample(name, labels, text: Self.text(of: value))
    }

    /// The series of one histogram.
    mutating func samples(_ name: String, _ labels: [Label] = [], of reading: Histogram.Reading) {
        for (bound, count) in reading.buckets {
            self.sample(name + "_bucket", labels + [("le", Self.text(of: bound))], value: count)
        }
        self.sample(name + "_bucket", labels + [("le", "+Inf")], value: reading.count)
        self.sample(name + "_sum", labels, value: reading.sum)
        self.sample(name + "_count", labels, value: reading.count)
    }

    /// Whether a text is `[a-zA-Z_:][a-zA-Z0-9_:]*`.
    static func isMetricName(_ name: String) -> Bool {
        self.isName(name) { $0 == UInt8(ascii: ":") }
    }

    /// Whether a text is `[a-zA-Z_][a-zA-Z0-9_]*` and not reserved by two leading underscores.
    static func isLabelName(_ name: String) -> Bool {
        self.isName(name) { _ in false } && !name.hasPrefix("__")
    }

    private static func isName(_ name: String, alsoAllowing isAllowed: (UInt8) -> Bool) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default:
                isAllowed(byte)
            }
        }
    }

    private static func text(of value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        // 5 and not 5.0, as Prometheus itself writes numbers.
        return Int64(exactly: value)?.description ?? value.description
    }

    private mutating func sample(_ name: String, _ labels: [Label], text value: String) {
        self.append(name)
        if !labels.isEmpty {
            var mark = "{"
            for (label, value) in labels {
                self.append("\(mark)\(label)=\"")
                self.appendEscaped(value, quotes: true)
                self.append("\"")
                mark = ","
            }
            self.append("}")
        }
        self.append(" \(value)\n")
    }

    private mutating func append(_ text: String) {
        self.bytes.append(contentsOf: text.utf8)
    }

    private mutating func appendEscaped(_ text: String, quotes: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): self.append("\\\\")
            case UInt8(ascii: "\n"): self.append("\\n")
            case UInt8(ascii: "\"") where quotes: self.append("\\\"")
            default: self.bytes.append(byte)
            }
        }
    }
}
