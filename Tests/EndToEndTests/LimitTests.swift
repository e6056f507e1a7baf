import Foundation
import TestSupport
import Testing

/// What a client and its users may use, as they see it.
@Suite struct LimitTests {
    private static func bed(_ limits: String) async throws -> TestBed {
        var settings = TestBed.Settings()
        settings.gateway["limits"] = "{ \(limits) }"
        return try await TestBed(settings)
    }

    /// Sends calls with different keys at once.
    static func rush(_ count: Int, on bed: TestBed, user: String? = nil) async throws -> [TestResponse] {
        try await withThrowingTaskGroup(of: TestResponse.self) { group in
            for index in 0..<count {
                group.addTask { try await bed.evaluate(key: "rush-\(user ?? "")-\(index)", user: user) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Sends calls that the platform works on for three seconds; returns when it has them.
    private static func occupy(_ bed: TestBed, with count: Int) async throws -> Task<[TestResponse], any Error> {
        try await bed.faults(Array(repeating: "slow:3000", count: count))
        let calls = Task { try await Self.rush(count, on: bed, user: "first") }
        try await until("the platform has them") { try await bed.platformLog().count == count }
        return calls
    }

    @Test func requestsBeyondTheRateAre429WithRetryAfterAndReachNoPlatform() async throws {
        let bed = try await Self.bed(#"client: { rate: "2/60s" }"#)
        let first = try await bed.evaluate(key: "a")
        #expect(first.status == 200, "\(first.text)")
        // Whatever is asked for counts, a replay too.
        #expect(try await bed.evaluate(key: "a")["idempotency-replayed"] == "true")
        let third = try await bed.evaluate(key: "b")
        #expect(third.status == 429 && third.json("code") == "42900", "\(third.text)")
        #expect(third.json("source") == "gateway" && third.json("retryable") == "true")
        #expect(third["retry-after"].flatMap { Int($0) }.map { (1...60).contains($0) } == true)
        #expect(third["idempotency-key"] == "b")
        #expect(try await bed.get("/v1/keys/a").status == 429)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func whoTricklesUploadsTakesNoRoomOfOthers() async throws {
        let bed = try await Self.bed(#"memoryBudget: "16MiB", spoolBudget: "16MiB""#)
        let added = try await bed.speechgate("client", "add", "greedy")
        let key = try #require(JSONText.member("apiKey", of: Array(added.output.utf8)))
        // Bodies of 1 MiB, the largest that memory takes.
        let rest = TestForm.evaluation(audio: []).bytes.count
        let form = TestForm.evaluation(audio: [UInt8](repeating: 7, count: (1 << 20) - rest))
        let fields = [("Authorization", "Bearer \(key)"), form.contentType, ("Content-Length", "\(1 << 20)")]
        let head = TestHTTPClient.request(
            "POST",
            "/api/v1/evaluate",
            fields: fields + [("Expect", "100-continue")],
            close: false
        )
        // Each is let in for its megabyte, and sends nothing of it.
        var trickling: [TestHTTPClient] = []
        var last: TestResponse?
        while last?.status ?? 100 == 100, trickling.count < 64 {
            let client = try TestHTTPClient(port: bed.port)
            client.send(head)
            last = await client.receive(takesInterim: true)
            trickling.append(client)
        }
        let answer = try #require(last)
        // A quarter of the memory for uploads, a quarter of the spool, and one too many.
        #expect(trickling.count == 3 + 4 + 1)
        #expect(answer.status == 503 && answer.json("reason") == "spool_full", "\(answer.text)")
        #expect(answer["retry-after"] != nil)
        let large = try await bed.evaluate(key: "large", form: form)
        #expect(large.status == 200, "\(large.text)")
        #expect(try await bed.evaluate(key: "small").status == 200)
        #expect(try await bed.billed() == 2)
        trickling = []
        await bed.stop()
    }

    @Test func oneUserIsHeldUpAndTheOthersAreNot() async throws {
        let bed = try await Self.bed(#"clients: { school: { userRate: "1/1h" } }"#)
        #expect(try await bed.evaluate(key: "a", user: "mei").status == 200)
        #expect(try await bed.evaluate(key: "b", user: "mei").status == 429)
        #expect(try await bed.evaluate(key: "a", user: "li").status == 200)
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }

    @Test func callsBeyondTheConcurrencyAre42901() async throws {
        let bed = try await Self.bed("client: { concurrency: 2 }")
        let running = try await Self.occupy(bed, with: 2)
        let refused = try await Self.rush(4, on: bed)
        #expect(refused.allSatisfy { $0.status == 429 && $0.json("code") == "42901" && $0["retry-after"] != nil })
        #expect(try await running.value.allSatisfy { $0.status == 200 })
        #expect(try await bed.billed() == 2)
        // Nothing leaks: what has ended makes room.
        #expect(try await bed.evaluate(key: "later").status == 200)
        await bed.stop()
    }

    @Test func aFullQueueIs42901AndAWaitThatIsServedIsNot() async throws {
        var settings = TestBed.Settings()
        settings.accounts = [TestBed.PlatformAccount(name: "main", members: "concurrency: 1")]
        settings.yugu["queue"] = #"{ length: 4, wait: "20s" }"#
        let bed = try await TestBed(settings)
        let running = try await Self.occupy(bed, with: 1)
        let answers = try await Self.rush(7, on: bed)
        // Alone, a client fills half of the queue.
        #expect(answers.count { $0.status == 200 } == 2, "\(answers.map(\.status))")
        #expect(try await running.value.map(\.status) == [200])
        #expect(answers.allSatisfy { $0.status == 200 || $0.json("code") == "42901" && $0["retry-after"] != nil })
        #expect(try await bed.billed() == 3)
        await bed.stop()
    }
}
