/// A size in bytes that is written with its unit: `"64KiB"`.
struct ByteCount: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number of bytes.
    let bytes: Int

    /// Wraps a number of bytes.
    static func bytes(_ count: Int) -> ByteCount { ByteCount(bytes: count) }

    /// Units of 1,024 bytes.
    static func kibibytes(_ count: Int) -> ByteCount { ByteCount(bytes: count << 10) }

    /// Units of 1,024 KiB.
    static func mebibytes(_ count: Int) -> ByteCount { ByteCount(bytes: count << 20) }

    /// Units of 1,024 MiB.
    static func gibibytes(_ count: Int) -> ByteCount { ByteCount(bytes: count << 30) }

    private static let units: [(suffix: String, shift: Int)] = [("GiB", 30), ("MiB", 20), ("KiB", 10), ("B", 0)]

    private init(bytes: Int) {
        self.bytes = bytes
    }

    /// Reads a whole number with one of the units B, KiB, MiB and GiB; nil when the text is none, or too large.
    init?(_ text: String) {
        guard let (count, unit) = QuantityText.split(text),
            let shift = Self.units.first(where: { $0.suffix == unit })?.shift,
            count <= Int.max >> shift
        else { return nil }
        self.bytes = count << shift
    }

    /// The size in its largest whole unit.
    var description: String {
        for unit in Self.units where self.bytes >= 1 << unit.shift && self.bytes % (1 << unit.shift) == 0 {
            return "\(self.bytes >> unit.shift)\(unit.suffix)"
        }
        return "0B"
    }

    static func < (left: ByteCount, right: ByteCount) -> Bool {
        left.bytes < right.bytes
    }
}

/// The shape that sizes and durations share: a whole number, directly followed by a unit.
enum QuantityText {
    /// Cuts `"30s"` into 30 and `"s"`; nil when there is no number, no unit, or the number does not fit.
    static func split(_ text: String) -> (count: Int, unit: String)? {
        let digits = text.utf8.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        guard !digits.isEmpty, digits.count < text.utf8.count, let count = Int(String(text.prefix(digits.count))) else {
            return nil
        }
        return (count, String(text.dropFirst(digits.count)))
    }
}
