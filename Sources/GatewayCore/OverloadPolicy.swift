internal import HTTPWire

/// When new requests are answered with 503 at once, because there is more work than can be done in time.
///
/// The newest are turned away: what is at work has cost something, and somebody waits for it.
public struct OverloadPolicy: Sendable {
    /// The most requests at work at a time; the default is 4,096.
    public var maximumRequests = 4_096
    /// Whether the event loops are too late to begin anything; the default is never.
    public var isLate: @Sendable () -> Bool = { false }

    /// The defaults.
    public init() {}

    /// Why a request is turned away, or nil.
    ///
    /// - Parameter running: How many requests are at work, this one included.
    func refusal(of head: HTTPRequestHead, running: Int) -> GatewayError? {
        let limit: LimitRefusal
        if running > self.maximumRequests {
            limit = .requests
        } else if self.isLate() {
            limit = .loopLag
        } else {
            return nil
        }
        var error = GatewayError.overloaded(limit)
        // Whose call it would be is not looked at; what the caller calls it is no secret to him.
        if head.fields.contains(.idempotencyKey) || head.fields.contains(.xIdempotencyKey) {
            error.idempotencyKey = (try? IdempotencyKey(of: head))?.text
        }
        return error
    }
}
