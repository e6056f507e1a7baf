/// Keeps one message that comes again and again from filling the log: so many lines of it are written in a second, the
/// others are counted.
///
/// Messages are constants, so there are never more of them than places in the program that log.
struct RepetitionLimit {
    /// Lines of one message that were not written.
    struct LeftOut: Equatable {
        let message: String
        let level: Logger.Level
        let count: Int
    }

    private struct Window {
        let message: StaticString
        let level: Logger.Level
        var second: Int64
        var lines = 0
        var leftOut = 0

        mutating func admits(in second: Int64, maximum: Int) -> Bool {
            if self.second != second {
                self.second = second
                self.lines = 0
            }
            guard self.lines < maximum else {
                self.leftOut += 1
                return false
            }
            self.lines += 1
            return true
        }
    }

    /// By where the message lies.
    private var windows: [UInt: Window] = [:]
    /// How many lines were left out so far.
    private(set) var total: UInt64 = 0

    /// Whether a message is to be written.
    ///
    /// - Parameter maximum: The most lines of one message in a second.
    mutating func admits(
        _ message: StaticString,
        _ level: Logger.Level,
        at time: Duration,
        maximum: Int
    ) -> Bool {
        let second = time.components.seconds
        let isAdmitted = self.windows[
            Self.key(message),
            default: Window(message: message, level: level, second: second)
        ].admits(in: second, maximum: maximum)
        if !isAdmitted { self.total += 1 }
        return isAdmitted
    }

    /// What was left out since this was asked last.
    mutating func takeLeftOut() -> [LeftOut] {
        var list: [LeftOut] = []
        for (key, window) in self.windows where window.leftOut > 0 {
            list.append(LeftOut(message: window.message.description, level: window.level, count: window.leftOut))
            self.windows[key]?.leftOut = 0
        }
        return list.sorted { $0.message < $1.message }
    }

    private static func key(_ message: StaticString) -> UInt {
        message.hasPointerRepresentation
            ? UInt(bitPattern: message.utf8Start) : UInt(message.unicodeScalar.value)
    }
}
