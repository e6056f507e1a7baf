import Cryptography
import HTTPWire
import Locking
import Store
import Telemetry
import TestSupport
import Testing

@testable import GatewayCore

/// A pipeline on a real store in a folder of its own, before a scripted platform.
final class PaidCallBench: Sendable {
    let clock = ManualClock()
    let transport: ScriptedTransport
    let store: Store
    let account: Account
    private let accounts: AccountPool
    let calls: PaidCalls
    private let directory: TemporaryDirectory

    /// - Parameters:
    ///   - probeInterval: How long a store in trouble rests; a long one rests until the clock is moved.
    ///   - directory: That of an earlier bench.
    init(
        _ steps: [ScriptedTransport.Step],
        appKey: String = "ak_test",
        concurrency: Int = 64,
        probeInterval: Duration = .seconds(1),
        further: [Account] = [],
        in directory: TemporaryDirectory? = nil
    ) throws {
        self.transport = ScriptedTransport(steps)
        self.directory = try directory ?? TemporaryDirectory()
        self.store = try Store.open(Store.Configuration(directory: self.directory.path))
        var settings = Account.Settings(secretKey: Secret("secret"))
        settings.concurrency = concurrency
        self.account = Account(name: "main", appKey: appKey, settings: settings)
        self.accounts = AccountPool([self.account] + further)
        let services = UpstreamServices(
            transport: self.transport,
            clock: self.clock.clock,
            logger: Logger(level: .error, sink: SilentSink()),
            metrics: GatewayMetrics(registry: MetricsRegistry())
        )
        var configuration = PaidCalls.Configuration()
        configuration.storeProbeInterval = probeInterval
        self.calls = PaidCalls(
            configuration: configuration,
            services: services,
            store: self.store,
            upstreamKeySecret: Secret("upstream")
        )
    }

    /// Closes the store.
    ///
    /// - Returns: Where its files are, as long as somebody keeps this: for the next bench.
    func close() async -> TemporaryDirectory {
        self.calls.stop()
        await self.store.close()
        return self.directory
    }

    /// Performs a call; an error becomes its answer, as in the gateway.
    ///
    /// - Parameters:
    ///   - principal: Who asks, if it is not the client or its user.
    ///   - watch: Learns how long the request's content is kept.
    func perform(
        key: String = "key-1",
        user: String? = nil,
        as principal: Principal? = nil,
        content: String = "audio",
        isDeduplicated: Bool = true,
        watch: ContentWatch = ContentWatch()
    ) async throws -> Reply {
        let key = try #require(IdempotencyKey(key))
        do throws(GatewayError) {
            let response = try await self.calls.perform(
                PaidCalls.Request(
                    operation: PlainOperation(isDeduplicated: isDeduplicated, content: watch.makeContent()),
                    principal: principal ?? Principal(client: "school", user: user, scopes: []),
                    key: key,
                    form: self.form(content),
                    path: "/evaluate",
                    accounts: self.accounts,
                    requestID: "r"
                )
            )
            return Reply(response: response, error: nil)
        } catch {
            return Reply(response: error.response(requestID: "r", timestamp: 0), error: error)
        }
    }

    func row(key: String = "key-1") throws -> KeyRow? {
        try self.store.lookUp(CallScope(client: "school", user: nil, key: try #require(IdempotencyKey(key))).hash)
    }

    private func form(_ content: String) -> ReceivedForm {
        let bytes = Array(content.utf8)
        var digest = KeyedDigest(key: self.store.fingerprintKey)
        digest.update(bytes)
        let part = ReceivedForm.Part(
            name: "config",
            fileName: nil,
            contentType: nil,
            count: bytes.count,
            tag: digest.finalize(),
            text: bytes,
            range: nil
        )
        return ReceivedForm(parts: [part])
    }
}

/// An answer with what tests ask of it.
struct Reply: Sendable {
    let response: HTTPResponse
    let error: GatewayError?

    var status: Int { self.response.status.code }
    var body: String { String(decoding: self.response.body, as: UTF8.self) }
    var isReplayed: Bool { self.response.fields[.idempotencyReplayed] == "true" }
    var attempts: Int { self.response.fields[.attempts].flatMap { Int($0) } ?? 0 }
    var code: Int? { self.error?.code.rawValue }
    var reason: String? { self.error?.reason }
}

/// Sees whether a request's content is still kept.
final class ContentWatch: Sendable {
    final class Content: Sendable {}

    private struct Reference {
        weak var content: Content?
    }

    private let reference = Locked(Reference())

    var isKept: Bool { self.reference.withLock { $0.content != nil } }

    func makeContent() -> Content {
        let content = Content()
        self.reference.withLock { $0.content = content }
        return content
    }
}

struct SilentSink: LogSink {
    func write(_ record: LogRecord) {}
}

/// The smallest paid operation: results have a `recordId`, refusals a `code`.
struct PlainOperation: PaidExchange {
    var name: String { "evaluate" }
    var coreType: String? { "sentence" }
    let isDeduplicated: Bool
    var content: ContentWatch.Content?

    func request(account: Account, timestamp: Int64, nonce: String, upstreamKey: String) -> HTTPTransportRequest {
        var fields = HTTPFields()
        fields.append(HTTPField.Name(literal: "X-Timestamp"), String(timestamp))
        fields.append(HTTPField.Name(literal: "X-Nonce"), nonce)
        fields.append(HTTPField.Name(literal: "X-App-Key"), account.appKey)
        fields.append(.idempotencyKey, upstreamKey)
        return HTTPTransportRequest(method: .post, url: "http://platform/evaluate", fields: fields)
    }

    func classify(_ response: HTTPTransportResponse) -> PlatformAnswer {
        let text = String(decoding: response.body, as: UTF8.self)
        if response.status == 200, text.hasPrefix(#"{"recordId":""#), text.hasSuffix("}") {
            return .answered(AnswerFacts(recordID: String(text.dropFirst(13).prefix { $0 != "\"" }), overall: 90))
        }
        guard text.hasPrefix(#"{"code":"#), let code = Int(text.dropFirst(8).prefix { $0.isNumber }) else {
            return response.status == 200 ? .malformed : .codeless
        }
        let kind: PlatformCode.Kind =
            switch code {
            case 40901: .inProgress
            case 2003: .credentialsOrClock
            case 2010: .credentials
            case 50000, 50200, 42900: .retryable
            default: .final
            }
        let fault: AccountFault? = code == 1012 ? .disabled : nil
        return .coded(PlatformCode(value: code, kind: kind, usualStatus: 400, accountFault: fault))
    }
}
