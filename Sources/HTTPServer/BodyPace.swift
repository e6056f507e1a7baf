/// How fast content must arrive.
struct BodyPace {
    /// How long content may pause.
    var idle: Duration
    /// How long all of it may take.
    var total: Duration
    /// How many bytes must arrive in a second, on average since the grace ended; 0 for any number.
    var rate: Int
    /// How long nothing is asked of the rate.
    var grace: Duration

    /// How far the content of one request is.
    struct Progress {
        /// When it began to be read.
        let start: ContinuousClock.Instant
        /// The bytes that have come.
        var received = 0
    }

    /// When the patience with content ends if no more of it comes.
    ///
    /// - Parameter limit: How long all of it may take, if that is less than ``total``.
    func deadline(
        of progress: Progress,
        within limit: Duration?,
        at now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant {
        let total = limit.map { min($0, self.total) } ?? self.total
        let last = min(now + self.idle, progress.start + total)
        guard self.rate > 0 else { return last }
        let (seconds, rest) = progress.received.quotientAndRemainder(dividingBy: self.rate)
        let earned = Duration.seconds(seconds) + .milliseconds(rest * 1000 / self.rate)
        return min(last, progress.start + self.grace + earned)
    }
}
