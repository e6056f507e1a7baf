import Foundation
import TestSupport
import Testing

/// The end of the time that running calls are given: everyone is answered, and what was sent is not forgotten.
@Suite struct DrainTests {
    private static func request(_ bed: TestBed, key: String) throws -> TestHTTPClient {
        let form = TestForm.evaluation()
        let client = try TestHTTPClient(port: bed.port)
        let fields = [("Authorization", "Bearer \(bed.apiKey)"), form.contentType, ("Idempotency-Key", key)]
        client.send(TestHTTPClient.request("POST", "/api/v1/evaluate", fields: fields, body: form.bytes))
        return client
    }

    private static func bed() async throws -> TestBed {
        var settings = TestBed.Settings()
        settings.gateway["drain"] = #""300ms""#
        settings.accounts = [TestBed.PlatformAccount(name: "main", members: "concurrency: 1")]
        return try await TestBed(settings)
    }

    /// Waits until the platform has a request.
    private static func untilSent(_ bed: TestBed) async throws {
        try await until("the platform has the request") { try await !bed.platformLog().isEmpty }
    }

    @Test(.enabled(if: RealtimeClient.isExpected, "run scripts/setup.sh --tests"))
    func aRoundThatIsCutHasItsResultAfterwards() async throws {
        let bed = try await Self.bed()
        try await bed.faults("ws-delay-result:6000")
        async let cut = bed.realtime().run(Round.native("k"))
        // Its end has been sent: the claim is there.
        try await until("the key is known") { try await bed.get("/v1/keys/k").status == 200 }
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        bed.gateway.signal(SIGTERM)
        let seen = try await cut
        #expect(seen.results.isEmpty && seen.closeCode == 1001, "\(seen)")
        #expect(await bed.gateway.wait() == 0)
        #expect(ContinuousClock.now - start < .seconds(10))
        try await bed.restart()
        #expect(try await bed.get("/v1/keys/k").json("state") == "unknown")
        try await bed.realtime().run(Round.native("k")).expectOneResult()
        #expect(try await bed.bills().byKey.values.max() == 1)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aDaemonThatStopsReloadsNoMore() async throws {
        let socket = try NotifySocket()
        var settings = TestBed.Settings()
        settings.environment = ["NOTIFY_SOCKET=\(socket.address)"]
        let bed = try await TestBed(settings)
        try await bed.faults("slow:2000")
        let client = try Self.request(bed, key: "k")
        try await Self.untilSent(bed)
        bed.gateway.signal(SIGTERM)
        #expect(await socket.next(with: "STOPPING", within: 10) != nil)
        #expect(try await bed.speechgate("reload").status == 69)
        bed.gateway.signal(SIGHUP)
        #expect(await client.receive().status == 200)
        #expect(await bed.gateway.wait() == 0)
        // It has not said that it is ready again.
        #expect(await socket.next(within: 0) == nil)
        await bed.stop()
    }

    @Test(arguments: [false, true])
    func whatIsCutIsAnsweredWithItsKeyAndBilledOnce(isHurried: Bool) async throws {
        let bed = try await Self.bed()
        try await bed.faults("slow:6000")
        let owner = try Self.request(bed, key: "sent")
        try await Self.untilSent(bed)
        // One waits for the first one's call, one for a place at the platform.
        let waiter = try Self.request(bed, key: "sent")
        let queued = try Self.request(bed, key: "queued")
        try await until("all wait where they are to wait") {
            let metrics = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/metrics").text
            return metrics.contains("\nspeechgate_requests_running 3\n")
                && metrics.contains("\nspeechgate_account_waiting_calls{account=\"main\"} 1\n")
        }
        let start = ContinuousClock.now
        bed.gateway.signal(SIGTERM)
        if isHurried { bed.gateway.signal(SIGINT) }
        for client in [owner, waiter] {
            let answer = await client.receive()
            #expect(answer.status == 503 && answer["idempotency-key"] == "sent", "\(answer.text)")
            #expect(answer.json("code") == "50000" && answer.json("reason") == "outcome_unknown")
            #expect(answer["retry-after"] != nil && answer.json("retryable") == "true")
        }
        let unsent = await queued.receive()
        #expect(unsent.status == 503 && unsent["idempotency-key"] == "queued", "\(unsent.text)")
        #expect(unsent.json("reason") == "draining" && unsent["retry-after"] != nil)
        #expect(await bed.gateway.wait() == 0)
        #expect(ContinuousClock.now - start < .seconds(10))
        try await bed.restart()
        let claims = try await bed.speechgate("claims", "list").output
        #expect(claims.contains(#""key":"sent""#) && !claims.contains("queued"), "\(claims)")
        #expect(try await bed.get("/v1/keys/sent").json("state") == "unknown")
        #expect(try await bed.get("/v1/keys/queued").status == 404)
        for key in ["sent", "queued"] { #expect(try await bed.evaluate(key: key).status == 200) }
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }
}
