internal import Synchronization

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

    /// Shared by all copies.
    private let threshold: Threshold
    private let sink: any LogSink
    private let now: @Sendable () -> Duration

    /// Makes a logger.
    ///
    /// - Parameters:
    ///   - level: The lowest level that is written. The default is `info`.
    ///   - sink: Takes the messages.
    ///   - now: The time since 1970-01-01 00:00 UTC; the default is the system's.
    public init(level: Level = .info, sink: any LogSink, now: @escaping @Sendable () -> Duration = LogClock.now) {
        self.threshold = Threshold(level)
        self.sink = sink
        self.now = now
    }

    /// From now on this logger, and all copies of it, write from another level on.
    public func setLevel(_ level: Level) {
        self.threshold.level.store(level.rawValue, ordering: .relaxed)
    }

    /// Writes a message, if its level is enabled.
    ///
    /// - Parameters:
    ///   - message: What happened, always in the same words.
    ///   - metadata: With what; keys are lower case with dots, and units are spelled in them (`duration_ms`).
    public func log(_ level: Level, _ message: StaticString, _ metadata: @autoclosure () -> LogMetadata = [:]) {
        guard level.rawValue >= self.threshold.level.load(ordering: .relaxed) else { return }
        self.sink.write(LogRecord(time: self.now(), level: level, message: message, metadata: metadata()))
    }

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

/// The lowest level that is written.
private final class Threshold: Sendable {
    let level: Atomic<UInt8>

    init(_ level: Logger.Level) {
        self.level = Atomic(level.rawValue)
    }
}
