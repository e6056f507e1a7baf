import HTTPWire
import Locking
import Telemetry
import TestSupport
import Testing

@testable import GatewayCore

/// Keeps all lines.
private final class LinesSink: LogSink {
    private let storage = Locked<[String]>([])

    var lines: [String] { self.storage.withLock { $0 } }

    func write(_ record: LogRecord) {
        let line = String(decoding: record.line(.json), as: UTF8.self)
        self.storage.withLock { $0.append(line) }
    }
}

@Suite struct GatewayTests {
    private struct NoBody: HTTPRequestBody {
        func read(into consumer: any HTTPBodyConsumer, limit: Int) async throws {}
    }

    private static func gateway(_ calls: PaidCalls) -> Gateway {
        Gateway(
            routes: [
                Route(.get, "/v1/free") { _ in HTTPResponse(status: HTTPStatus(200)) },
                Route(.get, "/v1/paid") { exchange async throws(GatewayError) in
                    try await exchange.answerPaid(through: calls) { () throws(GatewayError) in
                        .accepted(Principal(client: "school", user: nil, scopes: []))
                    } _: { _, _ async throws(GatewayError) in
                        HTTPResponse(status: HTTPStatus(200))
                    }
                },
            ],
            logger: Logger(level: .error, sink: SilentSink()),
            registry: MetricsRegistry()
        )
    }

    private static func get(_ path: String, of gateway: Gateway, key: String? = nil) async -> HTTPResponse {
        var fields = HTTPFields()
        if let key { fields.append(.idempotencyKey, key) }
        let head = HTTPRequestHead(
            method: .get,
            target: path,
            path: path,
            query: nil,
            authority: nil,
            version: .http11,
            fields: fields,
            framing: .none,
            isPersistent: true,
            expectsContinue: false
        )
        return await gateway.respond(to: HTTPRequest(head: head, body: NoBody(), peerAddress: "test"))
    }

    @Test func everyKindOfCredentialHasASeriesOfItsOwn() {
        for (index, kind) in CredentialKind.allCases.enumerated() { #expect(kind.index == index) }
    }

    @Test func aPaidRequestThatComesWhileTheGatewayGoesDownIsSentElsewhere() async throws {
        let bench = try PaidCallBench([])
        let gateway = Self.gateway(bench.calls)
        #expect(await Self.get("/v1/paid", of: gateway).status.code == 200)
        gateway.beginDraining()
        #expect(await Self.get("/v1/free", of: gateway).status.code == 200)
        let response = await Self.get("/v1/paid", of: gateway)
        #expect(response.status.code == 503)
        #expect(JSONText.member("code", of: response.body) == "50000")
        #expect(JSONText.member("reason", of: response.body) == "draining")
        #expect(response.fields[.retryAfter] != nil && response.fields[.idempotencyKey]?.count == 32)
        #expect(response.fields[.xRequestID] == JSONText.member("requestId", of: response.body))
        _ = await bench.close()
    }

    @Test(arguments: [LimitRefusal.requests, .loopLag])
    func beyondItsMeansItBeginsNothing(limit: LimitRefusal) async throws {
        var overload = OverloadPolicy()
        overload.maximumRequests = limit == .requests ? 1 : 100
        let isLate = Locked(false)
        overload.isLate = { isLate.withLock { $0 } }
        let registry = MetricsRegistry()
        let hasBegun = TestSignal()
        let mayEnd = TestSignal()
        let gateway = Gateway(
            routes: [
                Route(.get, "/v1/slow") { _ in
                    hasBegun.give()
                    await mayEnd.given()
                    return HTTPResponse(status: HTTPStatus(200))
                }
            ],
            overload: overload,
            logger: Logger(level: .error, sink: SilentSink()),
            registry: registry
        )
        async let first = Self.get("/v1/slow", of: gateway)
        await hasBegun.given()
        isLate.withLock { $0 = limit == .loopLag }
        let shed = await Self.get("/v1/slow", of: gateway, key: "mine")
        #expect(shed.status.code == 503 && JSONText.member("reason", of: shed.body) == limit.rawValue)
        #expect(JSONText.member("retryable", of: shed.body) == "true" && shed.fields[.retryAfter] == "2")
        #expect(shed.fields[.idempotencyKey] == "mine" && gateway.runningRequests == 1)
        // What was at work is not touched, and behind it there is room again.
        mayEnd.give()
        #expect(await first.status.code == 200)
        isLate.withLock { $0 = false }
        #expect(await Self.get("/v1/slow", of: gateway).status.code == 200)
        #expect(gateway.runningRequests == 0)
        let metrics = String(decoding: registry.exposition(), as: UTF8.self)
        #expect(metrics.contains(#"speechgate_limit_refusals_total{limit="\#(limit.rawValue)"} 1"#))
    }

    @Test func noQueryReachesTheLog() async {
        let log = LinesSink()
        let gateway = Gateway(
            routes: EchoRoute().routes,
            logger: Logger(level: .debug, sink: log),
            registry: MetricsRegistry()
        )
        let query = "token=very.secret.token&signature=c2VjcmV0"
        for path in ["/v1/echo", "/v1/other"] {
            var fields = HTTPFields()
            fields.append(HTTPField.Name(literal: "Host"), "a")
            fields.append(HTTPField.Name(literal: "Upgrade"), "websocket")
            fields.append(HTTPField.Name(literal: "Connection"), "Upgrade")
            fields.append(HTTPField.Name(literal: "Sec-WebSocket-Version"), "13")
            fields.append(HTTPField.Name(literal: "Sec-WebSocket-Key"), "dGhlIHNhbXBsZSBub25jZQ==")
            let head = HTTPRequestHead(
                method: .get,
                target: path + "?" + query,
                path: path,
                query: query,
                authority: "a",
                version: .http11,
                fields: fields,
                framing: .none,
                isPersistent: true,
                expectsContinue: false
            )
            let response = await gateway.respond(to: HTTPRequest(head: head, body: NoBody(), peerAddress: "test"))
            #expect(response.upgrade == nil)
            #expect(!String(decoding: response.body, as: UTF8.self).contains("secret"))
        }
        #expect(log.lines.count == 2)
        #expect(!log.lines.contains { $0.contains("secret") || $0.contains("c2Vj") })
    }

    @Test(arguments: [
        (400, "40001", "false"), (414, "40001", "false"), (501, "40001", "false"), (505, "40001", "false"),
        (503, "50000", "true"),
    ])
    func aRequestThatNeverBecameOne(status: Int, code: String, retryable: String) {
        let rejection = HTTPRejection(status: HTTPStatus(status), message: "no")
        let gateway = Gateway(
            routes: [],
            logger: Logger(level: .error, sink: SilentSink()),
            registry: MetricsRegistry()
        )
        let response = gateway.response(to: rejection)
        #expect(response.status.code == status)
        #expect(JSONText.member("code", of: response.body) == code)
        #expect(JSONText.member("retryable", of: response.body) == retryable)
        #expect((response.fields[.retryAfter] != nil) == (status == 503))
    }
}
