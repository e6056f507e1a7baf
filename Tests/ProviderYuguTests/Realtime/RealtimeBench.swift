import Cryptography
import EventLoop
import HTTPWire
import Locking
import Store
import Telemetry
import TestSupport
import Testing

@testable import GatewayCore
@testable import ProviderYugu

/// Sessions in memory on a real store and a real loop, before a platform in memory.
final class RealtimeBench: Sendable {
    let platform: PlatformInMemory
    let store: Store
    let calls: PaidCalls
    let accounts: [Account]
    let registry = RealtimeRegistry()
    let limiter = ClientLimiter()
    let metricsRegistry = MetricsRegistry()
    /// How far the clock is ahead of the machine's.
    private let passed = Locked(Duration.zero)
    private let services: RealtimeServices
    private let loop: EventLoop
    private let directory: TemporaryDirectory

    init(
        _ faults: [PlatformInMemory.Fault] = [],
        concurrency: Int = 64,
        precheck: PrecheckMode = .off,
        spoolBudget: Int64 = 1 << 30,
        accounts: [(inout Account.Settings) -> Void] = [{ _ in }],
        configure: (inout RealtimeConfiguration) -> Void = { _ in }
    ) throws {
        let platform = PlatformInMemory(faults)
        self.platform = platform
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(Store.Configuration(directory: self.directory.path))
        self.accounts = zip(["ak_test", "ak_next", "ak_last"], accounts).map { appKey, change in
            var settings = Account.Settings(secretKey: Secret("secret"))
            settings.concurrency = concurrency
            change(&settings)
            return Account(name: appKey, appKey: appKey, settings: settings)
        }
        var clock = GatewayClock.system
        clock.now = { [passed] in ContinuousClock.now + passed.withLock { $0 } }
        let logger = Logger(level: .error, sink: SilentSink())
        self.calls = PaidCalls(
            services: UpstreamServices(
                transport: NoTransport(),
                clock: clock,
                limiter: self.limiter,
                logger: logger,
                metrics: GatewayMetrics(registry: self.metricsRegistry)
            ),
            store: self.store,
            upstreamKeySecret: Secret("upstream")
        )
        var configuration = RealtimeConfiguration()
        configuration.round.initialDelay = .milliseconds(2)
        configuration.round.maximumDelay = .milliseconds(4)
        configure(&configuration)
        var spooling = SpoolDirectory.Configuration(directory: self.directory.path + "/spool")
        spooling.budget = spoolBudget
        let spool = try SpoolDirectory(spooling)
        self.services = RealtimeServices(
            configuration: configuration,
            calls: self.calls,
            accounts: AccountPool(self.accounts),
            transport: platform,
            bodies: BodyStorage(configuration: .init(), spool: spool, fingerprintKey: self.store.fingerprintKey),
            registry: self.registry,
            metrics: RealtimeMetrics(registry: self.metricsRegistry)
        )
        self.loop = try EventLoop(index: 0)
        var limits = LimitSettings()
        limits.defaults.precheck = precheck
        self.limiter.change(to: limits)
    }

    func close() async {
        self.calls.stop()
        await self.store.close()
        self.loop.stop()
    }

    /// A session whose client has heard `connected`.
    ///
    /// - Parameter token: The name of a token that is good for one call; nil for an API key.
    func connect(
        user: String? = nil,
        surface: EvaluateSurface = .native,
        policy: BufferPolicy? = nil,
        token: String? = nil,
        traceparent: String? = nil
    ) async throws -> RoundClient {
        let (ours, theirs) = MemoryChannel.pair()
        var principal = Principal(client: "school", user: user, scopes: [.realtime])
        if let token {
            principal.credential = .token(id: token)
            principal.maximumCalls = 1
            principal.expiresAt = .max
        }
        var opening = RealtimeOpening(
            principal: principal,
            dialect: YuguDialect(surface: surface, baseURL: "http://platform"),
            requestID: "r"
        )
        opening.policy = policy
        opening.trace = traceparent.flatMap { TraceContext($0) }
        let handler = RealtimeHandler(opening, self.services)
        self.loop.run { await handler.run(theirs) }
        let client = RoundClient(line: ours, drain: { handler.drain(theirs) })
        _ = try await client.next()
        return client
    }

    /// The account that comes first.
    var account: Account { self.accounts[0] }

    /// Whether the account that comes first could take another call.
    var hasFreeSlot: Bool {
        guard self.account.takeFreeSlot(at: .now) else { return false }
        self.account.slots.release(at: .now)
        return true
    }

    /// Lets time pass, and has the sessions looked after.
    func pass(_ duration: Duration) async {
        self.passed.withLock { $0 += duration }
        for session in self.registry.all { await session.look(isCredentialCurrent: true) }
    }

    /// Waits until no round is under way.
    func drain(at location: SourceLocation = #_sourceLocation) async throws {
        try await withinAMinute("the end of all rounds", at: location) { await self.calls.drain() }
    }
}

/// What some work comes to; a test whose work takes more than a minute fails, in place of waiting for ever.
func withinAMinute<Value: Sendable>(
    _ what: Comment,
    at location: SourceLocation,
    _ work: @escaping @Sendable () async -> Value
) async throws -> Value {
    let waiting = Waiting<Value?>()
    // Whatever waits for a frame cannot be cancelled: it is left behind.
    Task { waiting.resolve(await work()) }
    let alarm = Task {
        try await Task.sleep(for: .seconds(60))
        waiting.resolve(nil)
    }
    defer { alarm.cancel() }
    let value = await waiting.wait()
    return try #require(value, "\(what) did not come within a minute", sourceLocation: location)
}

/// A client of a realtime test.
struct RoundClient: Sendable {
    struct Ended: Error, Equatable {
        let code: UInt16?
    }

    let line: MemoryChannel
    /// What the server does when it wants to end.
    let drain: @Sendable () -> Void

    func send(_ frame: String) async {
        await self.line.send(.text(frame))
    }

    func start(key: String? = nil, text: String = "hello") async {
        let member = key.map { #","idempotencyKey":"\#($0)""# } ?? ""
        await self.send(#"{"cmd":"start","coreType":"sentence","referenceText":"\#(text)"\#(member)}"#)
    }

    /// Sends frames of audio.
    func speak(_ audio: [UInt8], frame: Int = 640) async {
        for start in stride(from: 0, to: audio.count, by: frame) {
            await self.line.send(.binary(Array(audio[start..<min(start + frame, audio.count)])))
        }
    }

    func end() async {
        await self.send(#"{"cmd":"end"}"#)
    }

    /// The next frame.
    func next(at location: SourceLocation = #_sourceLocation) async throws -> String {
        let message = try await withinAMinute("the next frame", at: location) { await self.line.receive() }
        if let message { return String(decoding: message.bytes, as: UTF8.self) }
        guard case .closedByPeer(let close)? = self.line.end else { throw Ended(code: nil) }
        throw Ended(code: close.code?.rawValue)
    }

    /// A round up to its end: parameters, which the server accepts, and audio.
    func begin(key: String? = nil, audio: [UInt8] = RoundClient.audio()) async throws {
        await self.start(key: key)
        _ = try await self.next()
        await self.speak(audio)
    }

    /// A whole round; its last frame.
    func round(key: String? = nil, audio: [UInt8] = RoundClient.audio()) async throws -> String {
        try await self.begin(key: key, audio: audio)
        await self.end()
        return try await self.next()
    }

    /// Some audio of a second.
    static func audio(_ seed: UInt64 = 1, count: Int = 32_000) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
}

struct SilentSink: LogSink {
    func write(_ record: LogRecord) {}
}

/// Rounds send no requests.
struct NoTransport: HTTPTransport {
    func execute(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportResponse {
        throw HTTPTransportError(reason: .refused, bytesSent: 0, detail: "")
    }
}
