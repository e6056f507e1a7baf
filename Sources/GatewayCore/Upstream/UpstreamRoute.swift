/// What holds for all calls of one kind at a platform.
public struct UpstreamRoute: Sendable {
    /// Its name, for the account's breaker.
    let name: String
    /// Whether sending again is safe although the platform may have seen the request.
    let isRepeatable: Bool
    /// Whether an answer is billed.
    let isPaid: Bool

    /// A paid operation.
    static func paid(_ operation: any PaidOperation) -> UpstreamRoute {
        UpstreamRoute(name: operation.name, isRepeatable: operation.isDeduplicated, isPaid: true)
    }

    /// Something that costs nothing and may be repeated at will.
    public static func free(_ name: String) -> UpstreamRoute {
        UpstreamRoute(name: name, isRepeatable: true, isPaid: false)
    }
}
