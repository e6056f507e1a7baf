import Foundation
import TestSupport
import Testing

/// What a probe and a load balancer see while something is wrong underneath.
@Suite struct HealthTests {
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/sqlite3"), "sqlite3 is not installed"))
    func healthAnswersAtOnceWhileTheStoreIsLocked() async throws {
        let bed = try await TestBed()
        // Another process holds the database's write lock: the writer waits for it.
        let database = bed.stateDirectory.appendingPathComponent("speechgate.db").path
        let seen = bed.folder.appendingPathComponent("seen").path
        let wait = "for i in $(seq 600); do [ -e '\(seen)' ] && break; sleep 0.1; done"
        let script = "(echo 'BEGIN IMMEDIATE; SELECT 1;'; \(wait)) | /usr/bin/sqlite3 '\(database)'"
        let holder = try ChildProcess(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", script],
            log: bed.folder.appendingPathComponent("holder.log")
        )
        #expect(await holder.readLine() == "1")
        async let paid = bed.evaluate(key: "k")
        try await until("the call waits for the store") {
            let metrics = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/metrics")
            return metrics.text.contains("\nspeechgate_requests_running 1\n")
        }
        var times: [Duration] = []
        for _ in 0..<11 {
            let start = ContinuousClock.now
            let health = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/healthz")
            times.append(ContinuousClock.now - start)
            #expect(health.status == 200)
        }
        // The machine that runs the tests may be busy at times; a probe that waits for the store is late every time.
        #expect(times.sorted()[5] < .milliseconds(100), "\(times)")
        #expect(holder.isRunning, "health does not wait for the lock")
        #expect(FileManager.default.createFile(atPath: seen, contents: nil))
        // Refused before anything was sent, or made good once the lock was gone.
        let status = try await paid.status
        #expect([200, 503].contains(status))
        #expect(try await bed.billed() == (status == 200 ? 1 : 0))
        await holder.wait()
        await bed.stop()
    }

    @Test(.enabled(if: geteuid() == 0, "mounting a file system needs root"))
    func aDiskBelowItsThresholdStopsPaidWorkEarlyAndGivesItBack() async throws {
        var settings = TestBed.Settings()
        settings.stateSize = "16m"
        settings.gateway["limits"] = #"{ minimumFreeDisk: "8MiB" }"#
        let bed = try await TestBed(settings)
        #expect(try await bed.evaluate(key: "before").status == 200)
        _ = try await bed.shell("dd if=/dev/zero of='\(bed.stateDirectory.path)/filler' bs=1M count=10 2>/dev/null")
        #expect(try await Self.isReady(bed, becoming: false))
        let readiness = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/readyz")
        #expect(readiness.status == 503 && JSONText.object(readiness.body)?["reasons"] as? [String] == ["disk"])
        let sent = try await bed.platformLog().count
        let refused = try await bed.evaluate(key: "low")
        #expect(refused.status == 503 && refused.json("reason") == "disk_low", "\(refused.text)")
        #expect(refused.json("code") == "50000" && refused.json("source") == "gateway")
        #expect(refused["retry-after"] != nil && refused["idempotency-key"] == "low")
        #expect(try await bed.platformLog().count == sent)
        #expect(try await bed.evaluate(key: "before")["idempotency-replayed"] == "true")
        // Nor is anything uploaded for it.
        let fields = [
            ("Authorization", "Bearer \(bed.apiKey)"), TestForm().contentType, ("Content-Length", "1000000"),
            ("Expect", "100-continue"),
        ]
        let client = try TestHTTPClient(port: bed.port)
        client.send(TestHTTPClient.request("POST", "/api/v1/evaluate", fields: fields, close: false))
        let early = await client.receive(takesInterim: true)
        #expect(early.status == 503 && early.json("reason") == "disk_low", "\(early.text)")
        // And what may be a replay fills no file with what is left.
        let large = TestForm.evaluation(audio: [UInt8](repeating: 7, count: 2 << 20))
        let upload = try await bed.evaluate(key: "before", form: large)
        #expect(upload.status == 503 && upload.json("reason") == "disk_low", "\(upload.text)")
        // With room again it goes on by itself, under the same key.
        _ = try await bed.shell("rm '\(bed.stateDirectory.path)/filler'")
        #expect(try await Self.isReady(bed, becoming: true))
        #expect(try await bed.evaluate(key: "low").status == 200)
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }

    /// Asks until readiness is as wanted, for ten times as long as the daemon may take to see it.
    private static func isReady(_ bed: TestBed, becoming wanted: Bool) async throws -> Bool {
        for _ in 0..<100 {
            let response = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/readyz")
            if (response.status == 200) == wanted { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }
}
