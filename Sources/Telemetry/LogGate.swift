private import Locking
private import Synchronization

/// What a logger lets through; shared by all copies of it.
final class LogGate: Sendable {
    private let level: Atomic<UInt8>
    private let linesPerSecond: Atomic<Int>
    private let repetitions = Locked(RepetitionLimit())

    init(level: Logger.Level, linesPerSecond: Int) {
        self.level = Atomic(level.rawValue)
        self.linesPerSecond = Atomic(linesPerSecond)
    }

    func setLevel(_ level: Logger.Level) {
        self.level.store(level.rawValue, ordering: .relaxed)
    }

    func setLinesPerSecond(_ maximum: Int) {
        self.linesPerSecond.store(maximum, ordering: .relaxed)
    }

    func isOpen(to level: Logger.Level) -> Bool {
        level.rawValue >= self.level.load(ordering: .relaxed)
    }

    /// Whether one more line of a message is to be written.
    func admits(_ message: StaticString, _ level: Logger.Level, at time: Duration) -> Bool {
        let maximum = self.linesPerSecond.load(ordering: .relaxed)
        guard maximum < .max else { return true }
        return self.repetitions.withLock { $0.admits(message, level, at: time, maximum: maximum) }
    }

    func takeLeftOut() -> [RepetitionLimit.LeftOut] {
        self.repetitions.withLock { $0.takeLeftOut() }
    }

    var leftOutLines: UInt64 {
        self.repetitions.withLock { $0.total }
    }
}
