import Cryptography
import EventLoop
import HTTPServer
import Telemetry

/// A stand-in for the speech-evaluation platform: it verifies signatures, remembers keys, bills, scores what it hears
/// and goes wrong on demand.
///
/// ```swift
/// let platform = try await SimulatedPlatform.start()
/// try platform.inject("bill-drop", match: "/api/v1/evaluate")
/// // … requests to platform.url …
/// #expect(platform.billed == 1)
/// await platform.stop()
/// ```
///
/// ## Topics
/// - ``Configuration``, ``Account``
/// - ``start(_:)``, ``stop()``
/// - ``inject(_:match:times:)``, ``serve(_:status:contentType:match:times:)``, ``setAccount(_:)``, ``reset()``
/// - ``billed``, ``billedByKey``, ``billedByAccount``, ``bills``, ``requests``
public final class SimulatedPlatform: Sendable {
    /// The address it listens on, such as `127.0.0.1:41233`.
    public let address: String
    /// The first of its accounts.
    public let account: Account

    let state: PlatformState
    private let server: HTTPServer
    private let loops: [EventLoop]
    private let front: TLSFront?

    private init(
        address: String,
        account: Account,
        state: PlatformState,
        server: HTTPServer,
        loops: [EventLoop],
        front: TLSFront?
    ) {
        self.address = address
        self.account = account
        self.state = state
        self.server = server
        self.loops = loops
        self.front = front
    }

    /// Listens and serves.
    ///
    /// - Parameter configuration: How it behaves.
    /// - Throws: `HTTPServerError` or `EventLoopError`, when it cannot listen.
    public static func start(_ configuration: Configuration = Configuration()) async throws -> SimulatedPlatform {
        var configuration = configuration
        let made = Account(
            appKey: "sim_" + Hex.encode(SecureRandom.bytes(count: 8)),
            secretKey: Hex.encode(SecureRandom.bytes(count: 24))
        )
        let account = configuration.accounts.first ?? made
        if configuration.accounts.isEmpty { configuration.accounts = [made] }
        var serverConfiguration = HTTPServer.Configuration()
        serverConfiguration.listen = [try ListenAddress(configuration.listen)]
        let loops = try (0..<max(1, configuration.loops)).map { try EventLoop(index: $0) }
        let state = PlatformState(configuration)
        let server = HTTPServer(
            configuration: serverConfiguration,
            loops: loops,
            responder: PlatformResponder(state: state),
            logger: Logger(level: .warning, sink: StandardErrorSink(format: .text))
        )
        do {
            let addresses = try await server.start()
            state.listens(at: addresses[0].description)
            return SimulatedPlatform(
                address: addresses[0].description,
                account: account,
                state: state,
                server: server,
                loops: loops,
                front: configuration.servesTLS ? try Self.front(of: addresses, configuration) : nil
            )
        } catch {
            await server.stop()
            loops.forEach { $0.stop() }
            throw error
        }
    }

    // A function of its own: the optimiser of Swift 6.3.1 crashes where this stands between two awaits.
    private static func front(of addresses: [BoundAddress], _ configuration: Configuration) throws -> TLSFront? {
        guard let port = addresses.first?.port else { return nil }
        return try TLSFront(to: port, days: configuration.isCertificateExpired ? -1 : 30)
    }

    /// Ends all pauses and closes all connections.
    public func stop() async {
        self.front?.stop()
        self.endAllPauses()
        await self.server.drain(within: .milliseconds(200))
        await self.server.stop()
        self.loops.forEach { $0.stop() }
    }

    /// How many requests are made to wait now.
    var waitingPauses: Int { self.state.pauses.waitingCount }

    /// Lets everything that waits go on at once, and what comes later not wait at all.
    func endAllPauses() {
        self.state.pauses.stop()
    }

    /// Its base URL without a slash at the end.
    public var url: String { "http://\(self.address)" }

    /// Its base URL with TLS; nil when it has none.
    public var secureURL: String? { self.front.map { "https://localhost:\($0.port)" } }

    /// The file with the certificate authority that signs for ``secureURL``; it goes when the platform stops.
    public var certificateAuthorityFile: String? { self.front?.authorityFile }

    // MARK: Inspection

    /// How many evaluations were executed and billed.
    public var billed: Int { self.state.withLock { $0.ledger.billed } }

    /// Executed evaluations by idempotency key.
    public var billedByKey: [String: Int] { self.state.withLock { $0.ledger.billedByKey } }

    /// Executed evaluations by account.
    public var billedByAccount: [String: Int] { self.state.withLock { $0.ledger.billedByAccount } }

    /// How often one key was billed.
    public func billed(forKey key: String) -> Int { self.state.withLock { $0.ledger.billed(forKey: key) } }

    /// The latest executed evaluations in order.
    public var bills: [SimulatedBill] { self.state.withLock { $0.ledger.recentBills } }

    /// The latest requests in order, without those to the control paths.
    public var requests: [SimulatedRequest] { self.state.withLock { $0.ledger.recentRequests } }
}
