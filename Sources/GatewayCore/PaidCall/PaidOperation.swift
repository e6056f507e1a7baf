public import HTTPWire

/// A call that costs money, as its provider describes it.
public protocol PaidOperation: Sendable {
    /// The operation's name in records, logs and fingerprints, for instance `evaluate`.
    var name: String { get }
    /// What the call evaluates, or nil.
    var coreType: String? { get }
    /// Whether the platform itself executes a key only once, so that sending again is safe.
    var isDeduplicated: Bool { get }
    /// How long the recording is; nil when only the platform can tell.
    var audioMilliseconds: Int64? { get }

    /// The content that is stored and given to everyone: the platform's own, unless an address in it would lead
    /// nowhere.
    ///
    /// - Parameter response: One that was found to be an answer.
    func content(of response: HTTPTransportResponse) -> [UInt8]
}

/// A paid call that is one request and one answer.
public protocol PaidExchange: PaidOperation {
    /// Builds one attempt, signed for the account.
    ///
    /// - Parameters:
    ///   - timestamp: Unix time in seconds by the platform's clock.
    ///   - nonce: Fresh for every attempt.
    ///   - upstreamKey: The idempotency key at the platform.
    func request(account: Account, timestamp: Int64, nonce: String, upstreamKey: String) -> HTTPTransportRequest

    /// Reads the platform's answer.
    func classify(_ response: HTTPTransportResponse) -> PlatformAnswer
}

extension PaidOperation {
    /// The platform's own bytes.
    public func content(of response: HTTPTransportResponse) -> [UInt8] { response.body }
}

extension PaidOperation {
    /// Nil: there is no recording, or one of unknown length.
    public var audioMilliseconds: Int64? { nil }
}
