/// The multi handles of one kind of connections of a loop, each with a bounded number of them.
///
/// Confined to its loop.
struct CurlMultiSet {
    typealias MakeMulti = @Sendable () throws(UpstreamClientError) -> CurlMulti

    private let connectionsPerMulti: Int
    private let makeMulti: MakeMulti
    private var multis: [CurlMulti]

    /// - Throws: ``UpstreamClientError`` when libcurl is not usable.
    init(connectionsPerMulti: Int, _ makeMulti: @escaping MakeMulti) throws(UpstreamClientError) {
        self.connectionsPerMulti = connectionsPerMulti
        self.makeMulti = makeMulti
        self.multis = [try makeMulti()]
    }

    /// Connections that are open or being opened.
    var connectionCount: Int { self.multis.reduce(0) { $0 + $1.dials.count } }

    /// A multi handle that has room for another connection; nil when there is no memory for one.
    mutating func withRoom() -> CurlMulti? {
        if let multi = self.multis.first(where: { $0.dials.count < self.connectionsPerMulti }) { return multi }
        guard let multi = try? self.makeMulti() else { return nil }
        self.multis.append(multi)
        return multi
    }

    /// Closes all connections and refuses what comes.
    func shutDown() {
        for multi in self.multis { multi.shutDown() }
    }
}
