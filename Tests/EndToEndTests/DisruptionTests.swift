import Foundation
import TestSupport
import Testing

/// Clients vanish, the daemon is killed, the disk fills: nothing is billed twice, nothing paid for is lost.
@Suite struct DisruptionTests {
    @Test func aClientThatGoesAwayLeavesAResultBehind() async throws {
        let bed = try await TestBed()
        try await bed.faults("slow:400")
        let client = try await Self.sendUntilThePlatformHasIt(bed)
        // The platform has the request and works on it; the client leaves in the middle of that.
        client.reset()
        let response = try await bed.evaluate(key: "k")
        #expect(response.status == 200 && response["idempotency-replayed"] == "true", "\(response.text)")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aKillBetweenClaimAndAnswerBillsOnce() async throws {
        let bed = try await TestBed()
        try await bed.faults("slow:6000")
        let client = try await Self.sendUntilThePlatformHasIt(bed)
        try await bed.killAndRestart()
        #expect(await client.receiveEnd(), "the connection died with the daemon")
        #expect(try await bed.get("/v1/keys/k").json("state") == "unknown")
        let response = try await bed.evaluate(key: "k")
        #expect(response.status == 200, "\(response.text)")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func killedOverAndOverItBillsEveryKeyOnce() async throws {
        // The same port over all restarts: any other one could be another test's program by the time a client tries it.
        let port = try ReservedPort()
        var settings = TestBed.Settings()
        settings.gateway["listen"] = #"["127.0.0.1:\#(port.number)"]"#
        // Long enough for the kills to meet calls.
        settings.simulator = ["--processing-ms", "50"]
        let bed = try await TestBed(settings)
        let repetitions = try await withThrowingTaskGroup { group in
            for client in 0..<4 {
                group.addTask {
                    var repetitions = 0
                    for number in 0..<12 { repetitions += try await Self.insist(on: "\(client)-\(number)", bed) }
                    return repetitions
                }
            }
            for _ in 0..<5 {
                try await bed.faults("bill-drop", "slow:200")
                let enough = min(try await bed.billed() + 4, 48)
                try await until("some more are billed") { try await bed.billed() >= enough }
                try await bed.killAndRestart()
            }
            return try await group.reduce(0, +)
        }
        #expect(try await bed.billed() == 48)
        #expect(repetitions > 0, "the kills met calls")
        await bed.stop()
        withExtendedLifetime(port) {}
    }

    /// Repeats a call until it is answered with 200, as a client does that wants its result; how often it did.
    private static func insist(on key: String, _ bed: TestBed) async throws -> Int {
        var repetitions = 0
        while true {
            // A daemon that is down refuses the connection, and one that is killed cuts the answer off.
            let response = try? await bed.evaluate(key: key)
            switch response?.status ?? 0 {
            case 200: return repetitions
            case 0, 409, 502, 503: try await Task.sleep(for: .milliseconds(10))
            default: throw ChildProcess.Failure(description: "\(key): \(response?.status ?? 0) \(response?.text ?? "")")
            }
            repetitions += 1
        }
    }

    @Test func aCallOfUnknownOutcomeCanBeListedAndSettled() async throws {
        let bed = try await TestBed(
            TestBed.Settings(yugu: ["attempts": "1", "attemptTimeout": #""2s""#, "totalTimeout": #""2s""#])
        )
        try await bed.faults("bill-drop", "drop")
        #expect(try await bed.evaluate(key: "a").json("reason") == "outcome_unknown")
        #expect(try await bed.evaluate(key: "b").json("reason") == "outcome_unknown")
        let (status, list) = try await bed.speechgate("claims", "list")
        #expect(status == 0)
        let keys = list.split(separator: "\n").compactMap { JSONText.member("key", of: Array($0.utf8)) }
        #expect(Set(keys) == ["a", "b"])
        #expect(try await bed.speechgate("claims", "settle", "a", "--client", "school", "--billed").status == 0)
        #expect(try await bed.speechgate("claims", "settle", "b", "--client", "school", "--not-billed").status == 0)
        let billed = try await bed.evaluate(key: "a")
        #expect(billed.status == 409 && billed.json("code") == "40900" && billed.json("reason") == "settled_billed")
        #expect(try await bed.evaluate(key: "b", form: .evaluation(audio: TestAudio.wav(frequency: 440))).status == 200)
        #expect(try await bed.speechgate("claims", "settle", "nothing", "--client", "school", "--billed").status != 0)
        await bed.stop()
    }

    @Test func aTerminatedDaemonFinishesItsCalls() async throws {
        let bed = try await TestBed()
        try await bed.faults("slow:500")
        async let answer = bed.evaluate(key: "k")
        try await until("the platform has it") { try await !bed.platformLog().isEmpty }
        bed.gateway.signal(SIGTERM)
        #expect(try await answer.status == 200)
        #expect(await bed.gateway.wait() == 0)
        try await bed.restart()
        #expect(try await bed.evaluate(key: "k")["idempotency-replayed"] == "true")
        await bed.stop()
    }

    @Test func aKeyKnowsItsContentAfterARestart() async throws {
        let bed = try await TestBed()
        let first = try await bed.evaluate(key: "k")
        #expect(first.status == 200, "\(first.text)")
        try await bed.killAndRestart()
        let replay = try await bed.evaluate(key: "k")
        #expect(replay.body == first.body && replay["idempotency-replayed"] == "true", "\(replay.text)")
        let other = try await bed.evaluate(key: "k", form: .evaluation(audio: TestAudio.wav(frequency: 330)))
        #expect(other.status == 409 && other.json("code") == "40903", "\(other.text)")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aSecondDaemonOnTheSameStateDirectoryRefusesToStart() async throws {
        let bed = try await TestBed()
        let second = try ChildProcess(
            ChildProcess.program("speechgate"),
            ["serve", "--config", bed.config.path],
            log: bed.folder.appendingPathComponent("second.log")
        )
        #expect(await second.wait() != 0)
        #expect(second.errorText.contains(bed.stateDirectory.path), "\(second.errorText)")
        #expect(try await bed.evaluate(key: "k").status == 200, "the first one is not disturbed")
        await bed.stop()
    }

    @Test func secretsAndKeysNeverReachALog() async throws {
        let bed = try await TestBed()
        try await bed.faults("status:500", "status:500:raw=html", "bill-drop", "garbage", "rotate-secret:next-secret")
        for key in ["one", "two", "three"] { _ = try await bed.evaluate(key: key, user: "anna") }
        _ = try await bed.get("/v1/echo?token=query-secret&signature=query-signature")
        _ = try await bed.get("/v1/keys/one?token=query-secret")
        _ = try await bed.get("/nothing", fields: [("Cookie", "session=cookie-secret")])
        await bed.stop(keepingFiles: true)
        let log = bed.gateway.errorText
        #expect(log.contains("/api/v1/evaluate"), "the log at level debug is not empty")
        let secrets = [
            bed.secretKey, bed.apiKey, "query-secret", "query-signature", "cookie-secret",
            String(repeating: "0123456789abcdef", count: 4), String(repeating: "fedcba9876543210", count: 4),
        ]
        for secret in secrets { #expect(!log.contains(secret)) }
        let database = try FileManager.default.contentsOfDirectory(atPath: bed.stateDirectory.path)
        #expect(!database.isEmpty)
        for name in database where name.hasPrefix("speechgate.db") {
            let bytes = try Data(contentsOf: bed.stateDirectory.appendingPathComponent(name))
            for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)") }
        }
        bed.removeFiles()
    }

    /// Sends an evaluation under the key `k`; returns when the platform has it and works on it.
    private static func sendUntilThePlatformHasIt(_ bed: TestBed) async throws -> TestHTTPClient {
        let form = TestForm.evaluation()
        let request = TestHTTPClient.request(
            "POST",
            "/api/v1/evaluate",
            fields: [("Authorization", "Bearer \(bed.apiKey)"), form.contentType, ("Idempotency-Key", "k")],
            body: form.bytes
        )
        let client = try TestHTTPClient(port: bed.port)
        client.send(request)
        try await until("the platform has it") { try await !bed.platformLog().isEmpty }
        return client
    }
}
