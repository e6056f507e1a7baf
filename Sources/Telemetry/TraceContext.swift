/// A request's place in a trace that spans several programs: the field `traceparent` (W3C Trace Context, section 3.2).
///
/// Only that field: `tracestate` belongs to the tracing systems before the gateway and goes no further.
public struct TraceContext: Hashable, Sendable {
    private let traceHigh: UInt64
    private let traceLow: UInt64
    /// Bit 0: the caller records the trace.
    private let isSampled: Bool

    /// Reads the value of the field; nil for one that has to be ignored.
    ///
    /// A version that is not known is read by the fields that version 00 has (section 4.3).
    public init?(_ text: String) {
        var text = text
        let context = text.withUTF8 { Self.parse($0) }
        guard let context else { return nil }
        self = context
    }

    private init(traceHigh: UInt64, traceLow: UInt64, isSampled: Bool) {
        self.traceHigh = traceHigh
        self.traceLow = traceLow
        self.isSampled = isSampled
    }

    /// The trace's id, 32 lower-case hexadecimal digits.
    public var traceID: String { Self.hex(self.traceHigh) + Self.hex(self.traceLow) }

    /// The value of the field for a request to the next program.
    ///
    /// - Parameter parent: Names this program's part in the trace; not 0.
    public func field(parent: UInt64) -> String {
        // The flags that version 00 does not define are set to zero (section 3.2.2.5.1).
        "00-\(self.traceID)-\(Self.hex(parent))-0\(self.isSampled ? 1 : 0)"
    }

    // version "-" trace-id "-" parent-id "-" flags: 2, 32, 16 and 2 digits.
    private static let length = 55

    private static func parse(_ text: UnsafeBufferPointer<UInt8>) -> TraceContext? {
        let dash = UInt8(ascii: "-")
        guard text.count >= Self.length, text[2] == dash, text[35] == dash, text[52] == dash,
            let version = Self.number(text, 0..<2), version != 0xFF,
            // Version 00 has nothing more, and others may.
            text.count == Self.length || version != 0 && text[Self.length] == dash,
            let high = Self.number(text, 3..<19), let low = Self.number(text, 19..<35), high | low != 0,
            let parent = Self.number(text, 36..<52), parent != 0,
            let flags = Self.number(text, 53..<55)
        else { return nil }
        return TraceContext(traceHigh: high, traceLow: low, isSampled: flags & 1 == 1)
    }

    /// The value of lower-case hexadecimal digits; nil if one is none.
    private static func number(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> UInt64? {
        var number: UInt64 = 0
        for byte in text[range] {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            number = number << 4 | UInt64(digit)
        }
        return number
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
