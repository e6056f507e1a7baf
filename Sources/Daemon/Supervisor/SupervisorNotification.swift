/// What the daemon tells the service manager: the assignments of sd_notify(3).
enum SupervisorNotification: Hashable, Sendable {
    /// The start, or a reload, is finished.
    case ready(status: String)
    /// The configuration is read again; ``ready(status:)`` follows.
    case reloading
    /// The end has begun.
    case stopping(status: String)
    /// The loops turn.
    case watchdog

    /// The datagram.
    ///
    /// - Parameter monotonicMicroseconds: CLOCK_MONOTONIC as of now; the manager tells by it which reload is meant.
    func text(monotonicMicroseconds: UInt64) -> String {
        switch self {
        case .ready(let status): "READY=1\nSTATUS=\(Self.line(status))"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds)\nSTATUS=reading the configuration"
        case .stopping(let status): "STOPPING=1\nSTATUS=\(Self.line(status))"
        case .watchdog: "WATCHDOG=1"
        }
    }

    /// A line feed would begin another assignment.
    private static func line(_ text: String) -> String {
        text.contains("\n") ? text.split(separator: "\n").joined(separator: "; ") : text
    }
}
