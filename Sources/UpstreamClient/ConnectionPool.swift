internal import EventLoop
internal import HTTPWire

/// The connections to platforms of one loop: finds one for each exchange, or opens one, and keeps those that wait for
/// the next.
///
/// `@unchecked Sendable`: confined to its loop, save for what does not change.
final class ConnectionPool: @unchecked Sendable {
    /// What a connection leads to; exchanges with the same share connections.
    struct Origin: Hashable {
        /// Scheme, host and port.
        let url: String
        /// Whether the connection is encrypted.
        let isSecure: Bool
        /// Whether it may lead to addresses of the public Internet only.
        let isPublicOnly: Bool
    }

    // To send or to receive, libcurl walks over the connections of the multi handle until it meets the one that is
    // meant; and each handle reads the certificate authorities for itself.
    private static let connectionsPerMulti = 128

    let loop: EventLoop
    let configuration: UpstreamClient.Configuration
    private var multis: CurlMultiSet
    /// Those that wait, the one that was used last behind the others: what is not needed grows old in front.
    private var idle: [UpstreamConnection] = []
    private var exchangeCount = 0

    /// - Throws: ``UpstreamClientError`` when libcurl is not usable.
    init(
        _ loop: EventLoop,
        configuration: UpstreamClient.Configuration,
        makeMulti: @escaping CurlMultiSet.MakeMulti
    ) throws(UpstreamClientError) {
        self.loop = loop
        self.configuration = configuration
        self.multis = try CurlMultiSet(connectionsPerMulti: Self.connectionsPerMulti, makeMulti)
    }

    // MARK: - Exchanges

    /// Counts an exchange in, unless they are too many.
    func admit() -> Bool {
        precondition(self.loop.isCurrent, "an exchange begins on its loop")
        guard self.exchangeCount < self.configuration.maximumExchanges else { return false }
        self.exchangeCount += 1
        return true
    }

    /// Counts an exchange out.
    func leave() {
        self.exchangeCount -= 1
    }

    /// Finds a connection for an exchange, which hears of the end in any case.
    func carry(_ exchange: Exchange) {
        if let connection = self.takeIdle(exchange.origin) {
            connection.carry(exchange)
        } else {
            self.connect(for: exchange)
        }
    }

    /// Opens a connection for an exchange.
    func connect(for exchange: Exchange) {
        guard !exchange.origin.isPublicOnly || self.configuration.proxy == nil else {
            return exchange.finish(.refused, "behind a proxy no address can be held to the public Internet")
        }
        guard let multi = self.multis.withRoom() else {
            return exchange.finish(.refused, "no memory for a further connection")
        }
        UpstreamConnection(to: exchange.origin, of: self).open(on: multi, for: exchange)
    }

    // MARK: - Idle connections

    private func takeIdle(_ origin: Origin) -> UpstreamConnection? {
        // Nearly always the last one: there are few platforms.
        guard let index = self.idle.lastIndex(where: { $0.origin == origin }) else { return nil }
        return self.idle.remove(at: index)
    }

    /// Keeps a connection for the next exchange, in place of the oldest when there are enough.
    func keep(_ connection: UpstreamConnection) {
        if self.idle.count >= self.configuration.maximumConnections { self.idle.removeFirst().close() }
        self.idle.append(connection)
    }

    /// Forgets an idle connection.
    func remove(_ connection: UpstreamConnection) {
        self.idle.removeAll { $0 === connection }
    }

    /// Ends all exchanges, closes all connections and refuses what comes.
    func shutDown() {
        precondition(self.loop.isCurrent, "connections end on their loop")
        self.idle = []
        self.multis.shutDown()
    }
}
