/// A place among the calls that a client and its user may have at a time: taken while something holds it.
///
/// For calls whose end is the end of a stream, whoever reads it.
public final class CallPlace: Sendable {
    private let limiter: ClientLimiter
    private let client: String
    private let user: String?

    init(limiter: ClientLimiter, client: String, user: String?) {
        self.limiter = limiter
        self.client = client
        self.user = user
    }

    deinit {
        self.limiter.endCall(client: self.client, user: self.user)
    }
}
