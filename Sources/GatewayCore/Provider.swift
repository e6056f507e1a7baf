/// A platform as the gateway sees it: the routes it answers and the accounts it needs.
///
/// A provider translates. It receives its services by initialiser and does no I/O of its own.
public protocol Provider: Sendable {
    /// The routes that this provider answers.
    var routes: [Route] { get }
    /// The platform accounts that must be usable for the gateway to be ready.
    var accounts: AccountPool { get }
    /// What a path is refused with that no route answers, where the platform says something else than 404; else nil.
    func refusal(ofPath path: String) -> GatewayError?
}

extension Provider {
    /// None.
    public func refusal(ofPath path: String) -> GatewayError? { nil }
}
