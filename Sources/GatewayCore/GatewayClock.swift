internal import Glibc

/// Time as the gateway reads it; tests bring their own.
public struct GatewayClock: Sendable {
    /// The wall clock, Unix time in milliseconds.
    public var unixMilliseconds: @Sendable () -> Int64
    /// The monotonic clock that deadlines are measured on.
    public var now: @Sendable () -> ContinuousClock.Instant
    /// Waits; throws only when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void
    /// A uniform random number in 0..<1, for jitter.
    public var random: @Sendable () -> Double

    /// Takes the four readings.
    public init(
        unixMilliseconds: @escaping @Sendable () -> Int64,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        random: @escaping @Sendable () -> Double
    ) {
        self.unixMilliseconds = unixMilliseconds
        self.now = now
        self.sleep = sleep
        self.random = random
    }

    /// The machine's clocks.
    public static let system = GatewayClock(
        unixMilliseconds: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        },
        now: { ContinuousClock.now },
        sleep: { try await Task.sleep(for: $0) },
        random: { Double.random(in: 0..<1) }
    )
}
