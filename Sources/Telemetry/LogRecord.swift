/// One log message with its data.
public struct LogRecord: Sendable {
    /// When, since 1970-01-01 00:00 UTC.
    public let time: Duration
    /// How much it matters.
    public let level: Logger.Level
    /// What happened.
    public let message: StaticString
    /// With what.
    public let metadata: LogMetadata

    /// Takes the parts.
    public init(time: Duration, level: Logger.Level, message: StaticString, metadata: LogMetadata) {
        self.time = time
        self.level = level
        self.message = message
        self.metadata = metadata
    }

    /// The message as one line of at most ``LogFormat/maximumLineLength`` bytes, line feed included.
    public func line(_ format: LogFormat) -> [UInt8] {
        var line = LogLine(format: format)
        line.append(self)
        return line.bytes
    }
}

/// How log lines look.
public enum LogFormat: String, Hashable, Sendable, CaseIterable {
    /// One JSON object a line: `time`, `level`, `message`, then the data.
    case json
    /// For people: time, level, message, then `key=value`.
    case text

    /// The most bytes of a line.
    ///
    /// A pipe takes as much in one piece (PIPE_BUF), so that the lines of threads and of processes that share it never
    /// mix. Data that does not fit is left out, and `truncated` says so.
    public static let maximumLineLength = 4_096

    /// The most bytes of a text in a line; longer ones are cut and end in `…`.
    public static let maximumTextLength = 1_024

    /// How many bytes of a text are written: all, or as many as may be and do not end within a character.
    static func shownLength(of text: UnsafeBufferPointer<UInt8>) -> Int {
        guard text.count > Self.maximumTextLength else { return text.count }
        var end = Self.maximumTextLength
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        return end
    }
}

/// Takes log messages.
///
/// Called on whatever thread logs; must not wait and must not log.
public protocol LogSink: Sendable {
    /// Takes one message.
    func write(_ record: LogRecord)

    /// How many messages were lost because there was no room for them.
    var lostLines: UInt64 { get }
}

extension LogSink {
    /// None, for sinks that lose nothing.
    public var lostLines: UInt64 { 0 }
}
