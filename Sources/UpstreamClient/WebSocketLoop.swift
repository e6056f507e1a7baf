internal import Cryptography
internal import EventLoop
internal import HTTPWire

/// What the WebSockets of one loop share.
///
/// `@unchecked Sendable`: confined to its loop, save for what does not change.
final class WebSocketLoop: @unchecked Sendable {
    // To send or to receive, libcurl walks over the connections of the multi handle until it meets the one that is meant.
    private static let connectionsPerMulti = 32

    let loop: EventLoop
    let configuration: UpstreamClient.Configuration
    let encoder: WebSocketEncoder
    let share: WebSocketLoopShare
    private var multis: CurlMultiSet

    /// - Throws: ``UpstreamClientError`` when libcurl is not usable.
    init(
        _ loop: EventLoop,
        configuration: UpstreamClient.Configuration,
        budget: WebSocketBudget,
        makeMulti: @escaping CurlMultiSet.MakeMulti
    ) throws(UpstreamClientError) {
        let keys = MaskingKeys()
        self.loop = loop
        self.configuration = configuration
        self.encoder = .client { keys.next() }
        self.share = WebSocketLoopShare(budget: budget)
        self.multis = try CurlMultiSet(connectionsPerMulti: Self.connectionsPerMulti, makeMulti)
    }

    /// Connections that are open or being opened.
    var connectionCount: Int { self.multis.connectionCount }

    /// A multi handle that has room for another connection; nil when there is no memory for one.
    func multiWithRoom() -> CurlMulti? { self.multis.withRoom() }

    /// Closes all connections and refuses what comes.
    func shutDown() {
        self.multis.shutDown()
    }
}

/// Makes masking keys that nobody can foresee, many at a time.
///
/// `@unchecked Sendable`: confined to one loop.
private final class MaskingKeys: @unchecked Sendable {
    private static let batch = 256

    private var bytes: [UInt8] = []

    func next() -> UInt32 {
        if self.bytes.isEmpty { self.bytes = SecureRandom.bytes(count: 4 * MaskingKeys.batch) }
        let key = self.bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
        self.bytes.removeLast(4)
        return key
    }
}
