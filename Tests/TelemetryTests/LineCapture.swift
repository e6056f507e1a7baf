import Locking
import Telemetry

/// Keeps log lines.
final class LineCapture: LogSink {
    private let format: LogFormat
    private let kept = Locked<[String]>([])

    init(_ format: LogFormat = .json) {
        self.format = format
    }

    var lines: [String] { self.kept.withLock { $0 } }

    func write(_ record: LogRecord) {
        let line = String(decoding: record.line(self.format), as: UTF8.self)
        self.kept.withLock { $0.append(line) }
    }
}

extension Logger {
    /// A logger at a fixed time: 2026-10-08 09:30:00.125 UTC.
    static func fixed(_ sink: LineCapture, level: Level = .debug) -> Logger {
        Logger(level: level, sink: sink) { .milliseconds(1_791_451_800_125) }
    }
}
