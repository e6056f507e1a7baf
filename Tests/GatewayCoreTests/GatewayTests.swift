import HTTPWire
import Telemetry
import TestSupport
import Testing

@testable import GatewayCore

@Suite struct GatewayTests {
    private struct NoBody: HTTPRequestBody {
        func read(into consumer: any HTTPBodyConsumer, limit: Int) async throws {}
    }

    private let gateway = Gateway(
        routes: [
            Route(.get, "/v1/free") { _ in HTTPResponse(status: HTTPStatus(200)) },
            Route(.get, "/v1/paid") { exchange async throws(GatewayError) in
                try await exchange.answerPaid { () throws(GatewayError) in
                    .accepted(Principal(client: "school", user: nil, scopes: []))
                } _: { _, _ async throws(GatewayError) in
                    HTTPResponse(status: HTTPStatus(200))
                }
            },
        ],
        logger: Logger(level: .error, sink: SilentSink()),
        registry: MetricsRegistry()
    )

    private func get(_ path: String) async -> HTTPResponse {
        let head = HTTPRequestHead(
            method: .get,
            target: path,
            path: path,
            query: nil,
            authority: nil,
            version: .http11,
            fields: HTTPFields(),
            framing: .none,
            isPersistent: true,
            expectsContinue: false
        )
        return await self.gateway.respond(to: HTTPRequest(head: head, body: NoBody(), peerAddress: "test"))
    }

    @Test func aPaidRequestThatComesWhileTheGatewayGoesDownIsSentElsewhere() async throws {
        #expect(await self.get("/v1/paid").status.code == 200)
        self.gateway.beginDraining()
        #expect(await self.get("/v1/free").status.code == 200)
        let response = await self.get("/v1/paid")
        #expect(response.status.code == 503)
        #expect(JSONText.member("code", of: response.body) == "50000")
        #expect(JSONText.member("reason", of: response.body) == "draining")
        #expect(response.fields[.retryAfter] != nil && response.fields[.idempotencyKey]?.count == 32)
        #expect(response.fields[.xRequestID] == JSONText.member("requestId", of: response.body))
    }

    @Test(arguments: [
        (400, "40001", "false"), (414, "40001", "false"), (501, "40001", "false"), (505, "40001", "false"),
        (503, "50000", "true"),
    ])
    func aRequestThatNeverBecameOne(status: Int, code: String, retryable: String) {
        let rejection = HTTPRejection(status: HTTPStatus(status), message: "no")
        let response = self.gateway.response(to: rejection)
        #expect(response.status.code == status)
        #expect(JSONText.member("code", of: response.body) == code)
        #expect(JSONText.member("retryable", of: response.body) == retryable)
        #expect((response.fields[.retryAfter] != nil) == (status == 503))
    }
}
