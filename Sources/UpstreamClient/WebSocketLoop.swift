internal import Cryptography
internal import EventLoop
internal import HTTPWire

/// What the WebSockets of one loop share.
///
/// Their connections have multi handles of their own: libcurl counts them among the pooled ones, so that they would push
/// those of exchanges out of the pool.
///
/// `@unchecked Sendable`: confined to its loop, save for what does not change.
final class WebSocketLoop: @unchecked Sendable {
    typealias MakeMulti = @Sendable (UpstreamClient.Configuration) throws(UpstreamClientError) -> CurlMulti

    // To send or to receive, libcurl walks over the connections of the multi handle until it meets the one that is meant.
    private static let connectionsPerMulti = 32

    let loop: EventLoop
    let configuration: UpstreamClient.Configuration
    let encoder: WebSocketEncoder
    let share: WebSocketLoopShare
    private let makeMulti: MakeMulti
    private var multis: [CurlMulti]

    /// - Throws: ``UpstreamClientError`` when libcurl is not usable.
    init(
        _ loop: EventLoop,
        configuration: UpstreamClient.Configuration,
        budget: WebSocketBudget,
        makeMulti: @escaping MakeMulti
    ) throws(UpstreamClientError) {
        let keys = MaskingKeys()
        self.loop = loop
        var configuration = configuration
        // All are in use. One that has just been opened counts as idle to libcurl, which would close it as too many.
        configuration.maximumConnections = Self.connectionsPerMulti + 1
        self.configuration = configuration
        self.encoder = .client { keys.next() }
        self.share = WebSocketLoopShare(budget: budget)
        self.makeMulti = makeMulti
        self.multis = [try makeMulti(configuration)]
    }

    /// Connections that are open or being opened.
    var connectionCount: Int { self.multis.reduce(0) { $0 + $1.dials.count } }

    /// A multi handle that has room for another connection; nil when there is no memory for one.
    func multiWithRoom() -> CurlMulti? {
        if let multi = self.multis.first(where: { $0.dials.count < Self.connectionsPerMulti }) { return multi }
        guard let multi = try? self.makeMulti(self.configuration) else { return nil }
        self.multis.append(multi)
        return multi
    }

    /// Closes all connections and refuses what comes.
    func shutDown() {
        for multi in self.multis { multi.shutDown() }
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
