/// Builds one log line.
///
/// Everything that could end a line, begin another one or steer a terminal is escaped, in both formats: a request can
/// neither forge a line nor hide one.
struct LogLine {
    private let format: LogFormat
    private let isDated: Bool
    private(set) var bytes: [UInt8] = []

    /// - Parameter isDated: Whether a line for people begins with time and level: where it goes may have both already.
    init(format: LogFormat, isDated: Bool = true) {
        self.format = format
        self.isDated = isDated
        self.bytes.reserveCapacity(256)
    }

    mutating func append(_ record: LogRecord) {
        switch self.format {
        case .json:
            self.bytes.append(contentsOf: "{\"time\":\"".utf8)
            LogClock.append(record.time, to: &self.bytes)
            self.bytes.append(contentsOf: "\",\"level\":\"".utf8)
            self.bytes.append(contentsOf: record.level.name.utf8)
            self.bytes.append(contentsOf: "\",\"message\":".utf8)
            record.message.withUTF8Buffer { self.appendQuoted($0) }
        case .text:
            if self.isDated {
                LogClock.append(record.time, to: &self.bytes)
                self.bytes.append(0x20)
                self.bytes.append(contentsOf: record.level.name.utf8)
                self.bytes.append(0x20)
            }
            record.message.withUTF8Buffer { self.appendEscaped($0, escapingQuotes: false) }
        }
        self.append(record.metadata)
        if self.format == .json { self.bytes.append(UInt8(ascii: "}")) }
        self.bytes.append(0x0A)
    }

    private mutating func append(_ metadata: LogMetadata) {
        let ending = self.format == .json ? ",\"truncated\":true" : " truncated=true"
        // Room for the ending, the brace and the line feed.
        let limit = LogFormat.maximumLineLength - ending.utf8.count - 2
        var isTruncated = false
        for (key, value) in metadata.entries {
            let start = self.bytes.count
            self.append(key, value)
            guard self.bytes.count > limit else { continue }
            self.bytes.removeSubrange(start...)
            isTruncated = true
        }
        if isTruncated { self.bytes.append(contentsOf: ending.utf8) }
    }

    private mutating func append(_ key: StaticString, _ value: LogValue) {
        switch self.format {
        case .json:
            self.bytes.append(UInt8(ascii: ","))
            key.withUTF8Buffer { self.appendQuoted($0) }
            self.bytes.append(UInt8(ascii: ":"))
        case .text:
            self.bytes.append(0x20)
            key.withUTF8Buffer { self.appendEscaped($0, escapingQuotes: false) }
            self.bytes.append(UInt8(ascii: "="))
        }
        switch value {
        case .int(let number):
            self.bytes.append(contentsOf: number.description.utf8)
        case .double(let number):
            // JSON has no infinities.
            let isWritable = number.isFinite || self.format == .text
            self.bytes.append(contentsOf: (isWritable ? number.description : "null").utf8)
        case .bool(let flag):
            self.bytes.append(contentsOf: flag.description.utf8)
        case .string, .redacted, .appKey, .url:
            var text = value.text ?? ""
            text.withUTF8 { self.append(text: $0) }
        }
    }

    private mutating func append(text: UnsafeBufferPointer<UInt8>) {
        // In the text format, what reads as one word stays without quotes.
        let isWord = text.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "=") && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F }
        if self.format == .text, isWord, !text.isEmpty {
            self.appendEscaped(text, escapingQuotes: true)
        } else {
            self.appendQuoted(text)
        }
    }

    private mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>) {
        self.bytes.append(0x22)
        self.appendEscaped(text, escapingQuotes: true)
        self.bytes.append(0x22)
    }

    /// Appends text with JSON's escapes, cut to the most that a line may hold of one text.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, escapingQuotes: Bool) {
        let end = LogFormat.shownLength(of: text)
        var index = 0
        while index < end {
            let byte = text[index]
            if byte >= 0x20 && byte < 0x7F {
                if escapingQuotes, byte == 0x22 || byte == 0x5C { self.bytes.append(0x5C) }
                self.bytes.append(byte)
                index += 1
            } else if byte < 0x80 {
                self.appendEscape(UInt32(byte))
                index += 1
            } else if byte == 0xC2, text[index + 1] < 0xA0 {
                // The control characters U+0080 to U+009F.
                self.appendEscape(UInt32(text[index + 1]))
                index += 2
            } else if byte == 0xE2, let scalar = Self.lineOrDirectionControl(text[index + 1], text[index + 2]) {
                self.appendEscape(scalar)
                index += 3
            } else {
                self.bytes.append(byte)
                index += 1
            }
        }
        if end < text.count { self.bytes.append(contentsOf: "…".utf8) }
    }

    /// U+2028 and U+2029, which end lines, and U+202A to U+202E and U+2066 to U+2069, which turn text around.
    private static func lineOrDirectionControl(_ second: UInt8, _ third: UInt8) -> UInt32? {
        switch (second, third) {
        case (0x80, 0xA8...0xAE), (0x81, 0xA6...0xA9): 0x2000 | UInt32(second & 0x3F) << 6 | UInt32(third & 0x3F)
        default: nil
        }
    }

    private mutating func appendEscape(_ scalar: UInt32) {
        self.bytes.append(0x5C)
        switch scalar {
        case 0x09: self.bytes.append(UInt8(ascii: "t"))
        case 0x0A: self.bytes.append(UInt8(ascii: "n"))
        case 0x0D: self.bytes.append(UInt8(ascii: "r"))
        default:
            self.bytes.append(UInt8(ascii: "u"))
            for shift: UInt32 in [12, 8, 4, 0] {
                let digit = UInt8(scalar >> shift & 0x0F)
                self.bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
            }
        }
    }
}
