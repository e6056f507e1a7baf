/// Writes log lines to standard error, each with one `write(2)`.
public final class StandardErrorSink: LogSink {
    private let format: LogFormat
    private let marksLevels: Bool
    private let writer: LineWriter

    /// Makes a sink.
    ///
    /// - Parameters:
    ///   - format: How lines look. The default is JSON.
    ///   - descriptor: What to write to, which stays the caller's. The default is standard error.
    ///   - marksLevels: Whether lines begin with their level as `<6>`, which the journal takes off again
    ///     (sd-daemon(3)). The default is false.
    public init(format: LogFormat = .json, descriptor: Int32 = 2, marksLevels: Bool = false) {
        self.format = format
        self.marksLevels = marksLevels
        self.writer = LineWriter(descriptor: descriptor)
    }

    /// How many lines were lost because the descriptor took none.
    public var lostLines: UInt64 { self.writer.lostLines }

    /// Writes one line.
    public func write(_ record: LogRecord) {
        let line = record.line(self.format)
        self.writer.write(self.marksLevels ? Array("<\(record.level.priority)>".utf8) + line : line)
    }
}
