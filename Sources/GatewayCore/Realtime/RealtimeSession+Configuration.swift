extension RealtimeSession {
    /// Times and limits of a round, as the contract has them (yugu, sections 10.6 to 10.9).
    public struct Configuration: Hashable, Sendable {
        /// From dialling to the platform's `started`; the default is 10 s.
        public var connectTimeout = Duration.seconds(10)
        /// From the end frame to the result, on one connection; the default is 300 s.
        public var resultTimeout = Duration.seconds(300)
        /// From the first end frame to the result, over all connections; the default is 600 s, the longest that the
        /// platform works on one call.
        public var endingTimeout = Duration.seconds(600)
        /// How long a no that the platform said before it had the end may wait for what it says of the end; the default
        /// is 10 s.
        public var refusalTimeout = Duration.seconds(10)
        /// Between two pings; the default is 15 s.
        public var pingInterval = Duration.seconds(15)
        /// How long a ping may go without its answer; the default is 30 s.
        public var pongTimeout = Duration.seconds(30)
        /// The wait before the first attempt to reconnect; each further one doubles; the default is 500 ms.
        public var initialDelay = Duration.milliseconds(500)
        /// The longest wait by doubling; the default is 4 s.
        public var maximumDelay = Duration.seconds(4)
        /// How far a wait varies, as a share of it; the default is 0.3.
        public var jitter = 0.3
        /// Attempts in a row, and a third of those in all; the default is 8.
        public var maximumAttempts = 8
        /// The audio of a round that is kept, in bytes; the default is 10 MiB.
        public var audioLimit = 10 << 20

        /// The defaults.
        public init() {}
    }
}
