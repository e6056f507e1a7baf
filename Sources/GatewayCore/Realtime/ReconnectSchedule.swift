/// When a lost connection to the platform is tried again (contract yugu, section 10.8).
struct ReconnectSchedule: Sendable {
    /// Why there is no further attempt.
    enum Exhaustion: Error, Equatable, Sendable {
        /// So many attempts in a row came to nothing.
        case consecutive
        /// So many attempts were made in all.
        case total
    }

    private let configuration: RealtimeSession.Configuration
    /// Attempts since the platform accepted the parameters last.
    private(set) var consecutive = 0
    private var total = 0

    init(configuration: RealtimeSession.Configuration) {
        self.configuration = configuration
    }

    /// Counts an attempt.
    ///
    /// - Parameter random: Uniform in 0..<1.
    /// - Returns: The wait before it.
    mutating func next(random: Double) throws(Exhaustion) -> Duration {
        guard self.consecutive < self.configuration.maximumAttempts else { throw .consecutive }
        guard self.total < 3 * self.configuration.maximumAttempts else { throw .total }
        let doubled = self.configuration.initialDelay * (1 << min(self.consecutive, 16))
        self.consecutive += 1
        self.total += 1
        let jitter = self.configuration.jitter
        return min(self.configuration.maximumDelay, doubled) * (1 - jitter + 2 * jitter * random)
    }

    /// Notes that the platform accepted the parameters.
    mutating func noteSuccess() {
        self.consecutive = 0
    }
}
