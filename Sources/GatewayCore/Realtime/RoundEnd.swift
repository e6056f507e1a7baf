/// Where a round's end frame is, and what that makes of a no: whether the round may have been evaluated all the same.
struct RoundEnd: Sendable {
    /// The audio is complete.
    var isRequested = false
    /// Whether the present connection has the end frame.
    private(set) var isSent = false
    /// Whether the platform has what was sent before the end: what it says from now on may be an answer to that.
    private(set) var hasArrived = false
    /// A final no that the platform said before it had the end, which it now has all the same.
    private(set) var earlyRefusal: RealtimeSession.PlatformRefusal?
    /// Whether some connection may have had the round evaluated.
    private(set) var mayBeExecuted = false

    /// The end frame goes to the platform.
    mutating func send() {
        self.isSent = true
        self.hasArrived = false
    }

    mutating func arrive() {
        self.hasArrived = self.isSent
    }

    /// Takes a no of the platform.
    ///
    /// - Returns: What the round is lost by; nil when a result may yet follow, because the platform has said it before it
    ///   had the end.
    mutating func judge(_ refusal: RealtimeSession.PlatformRefusal) -> RealtimeSession.PlatformRefusal? {
        guard !refusal.isRetryable else { return refusal }
        guard self.isSent, !self.hasArrived else { return self.earlyRefusal ?? refusal }
        self.earlyRefusal = self.earlyRefusal ?? refusal
        return nil
    }

    /// The connection is lost; a code proves that nothing was evaluated, if the platform had the end when it said it.
    mutating func lose(_ loss: RealtimeSession.Loss) {
        if self.isSent, loss.leavesDoubt || !self.hasArrived { self.mayBeExecuted = true }
    }

    /// The connection is given up.
    mutating func giveUp() {
        if self.isSent { self.mayBeExecuted = true }
    }

    /// Another connection begins without the end.
    mutating func rewind() {
        self.isSent = false
        self.hasArrived = false
        self.earlyRefusal = nil
    }
}
