/// Writes what happens, one constant message with its data at a time, to a sink.
///
/// Libraries receive a logger and never make one. The data of a message below the level is not even computed.
///
/// ```swift
/// logger.warning("retrying", ["request.id": .string(id), "attempt": 2, "duration_ms": .milliseconds(elapsed)])
/// ```
public struct Logger: Sendable {
    /// How much a message matters.
    public enum Level: UInt8, Hashable, Sendable, CaseIterable, Comparable {
        /// For whoever looks for a fault.
        case debug
        /// The normal course of things.
        case info
        /// Normal, but worth knowing: start, stop, a changed setting.
        case notice
        /// Something failed and was got over.
        case warning
        /// Something failed, and someone must act.
        case error

        /// The level's name in log lines and settings: `debug`, `info`, `notice`, `warning` or `error`.
        public var name: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .notice: "notice"
            case .warning: "warning"
            case .error: "error"
            }
        }

        /// Takes a level's name, or is nil when there is no such level.
        public init?(name: String) {
            guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }

        /// Whether a level matters less than another one.
        public static func < (left: Level, right: Level) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    private let gate: LogGate
    private let sink: any LogSink
    private let now: @Sendable () -> Duration

    /// Makes a logger.
    ///
    /// - Parameters:
    ///   - level: The lowest level that is written. The default is `info`.
    ///   - sink: Takes the messages.
    ///   - linesPerSecond: The most lines in a second of one message that repeats itself. The default is no limit.
    ///   - now: The time since 1970-01-01 00:00 UTC; the default is the system's.
    public init(
        level: Level = .info,
        sink: any LogSink,
        linesPerSecond: Int = .max,
        now: @escaping @Sendable () -> Duration = LogClock.now
    ) {
        self.gate = LogGate(level: level, linesPerSecond: linesPerSecond)
        self.sink = sink
        self.now = now
    }

    /// From now on this logger, and all copies of it, write from another level on.
    public func setLevel(_ level: Level) {
        self.gate.setLevel(level)
    }

    /// From now on this logger, and all copies of it, write so many lines of one message in a second.
    public func setLinesPerSecond(_ maximum: Int) {
        self.gate.setLinesPerSecond(maximum)
    }

    /// Writes a message, if its level is enabled.
    ///
    /// Warnings and errors, which a fault may bring with every request, and what is routine are written only so often in
    /// a second; ``reportLeftOut()`` tells how many were not.
    ///
    /// - Parameters:
    ///   - message: What happened, always in the same words.
    ///   - isRoutine: Whether the message is one of many alike, of which a few tell enough.
    ///   - metadata: With what; keys are lower case with dots, and units are spelled in them (`duration_ms`).
    public func log(
        _ level: Level,
        _ message: StaticString,
        isRoutine: Bool = false,
        _ metadata: @autoclosure () -> LogMetadata = [:]
    ) {
        guard self.gate.isOpen(to: level) else { return }
        let time = self.now()
        guard !(isRoutine || level >= .warning) || self.gate.admits(message, level, at: time) else { return }
        self.sink.write(LogRecord(time: time, level: level, message: message, metadata: metadata()))
    }

    /// Writes how many lines of which messages were left out since the last time; to be called every few seconds.
    public func reportLeftOut() {
        for leftOut in self.gate.takeLeftOut() {
            let metadata: LogMetadata = ["log.message": .string(leftOut.message), "log.left_out": .int(leftOut.count)]
            let record = LogRecord(
                time: self.now(),
                level: leftOut.level,
                message: "lines of one message were left out",
                metadata: metadata
            )
            self.sink.write(record)
        }
    }

    /// How many lines were left out so far.
    public var leftOutLines: UInt64 { self.gate.leftOutLines }

    /// How many lines were lost because there was no room for them.
    public var lostLines: UInt64 { self.sink.lostLines }

    /// Writes a message of level `debug`.
    public func debug(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        self.log(.debug, message, metadata())
    }

    /// Writes a message of level `info`.
    public func info(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        self.log(.info, message, metadata())
    }

    /// Writes a message of level `notice`.
    public func notice(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        self.log(.notice, message, metadata())
    }

    /// Writes a message of level `warning`.
    public func warning(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        self.log(.warning, message, metadata())
    }

    /// Writes a message of level `error`.
    public func error(_ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        self.log(.error, message, metadata())
    }
}
