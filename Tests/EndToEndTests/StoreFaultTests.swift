import Foundation
import TestSupport
import Testing

/// The disk fails: nothing is sent that could not be accounted for, and what is stored stays readable.
///
/// The state directory is a small file system of its own, which needs the right to mount one.
@Suite(.enabled(if: geteuid() == 0, "mounting a file system needs root: the full-disk tests are skipped"))
struct StoreFaultTests {
    private static func small() -> TestBed.Settings {
        var settings = TestBed.Settings()
        settings.stateSize = "6m"
        return settings
    }

    private static func fill(_ bed: TestBed) async throws {
        // The first file takes what is left; dd ends with "no space left".
        _ = try await bed.shell("dd if=/dev/zero of='\(bed.stateDirectory.path)/filler' bs=4k 2>/dev/null; true")
    }

    /// Sends new calls until the last free page of the database is used.
    private static func firstRefusal(_ bed: TestBed) async throws -> TestResponse {
        for number in 0..<500 {
            let response = try await bed.evaluate(key: "probe-\(number)")
            if response.status != 200 { return response }
        }
        throw ChildProcess.Failure(description: "the disk did not fill up")
    }

    @Test func aFullDiskStopsPaidCallsBeforeTheyAreSent() async throws {
        let bed = try await TestBed(Self.small())
        let first = try await bed.evaluate(key: "before")
        #expect(first.status == 200)
        let recordID = try #require(first.json("recordId"))
        try await Self.fill(bed)
        let refused = try await Self.firstRefusal(bed)
        #expect(refused.status == 503 && refused.json("code") == "50000", "\(refused.text)")
        #expect(refused["retry-after"] != nil && refused.json("source") == "gateway")
        let sent = try await bed.platformLog().count
        let billed = try await bed.billed()
        #expect(try await bed.evaluate(key: "while-full").status == 503)
        #expect(try await bed.platformLog().count == sent)
        #expect(try await bed.billed() == billed)
        // What costs nothing goes on.
        #expect(try await bed.evaluate(key: "before")["idempotency-replayed"] == "true")
        #expect(try await bed.get("/v1/records/\(recordID)").body == first.body)
        let report = try await bed.get("/api/v1/report/\(recordID)")
        #expect(report.status == 200, "\(report.status) \(report.text) \(bed.gateway.isRunning)")
        // The probe is a small write that may find room where a claim does not, so readiness is asked behind a refusal.
        var ready = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/readyz")
        for _ in 0..<20 where ready.status == 200 {
            _ = try await bed.evaluate(key: "while-full")
            ready = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/readyz")
        }
        #expect(ready.status == 503 && ready.text.contains("store"), "\(ready.text)")
        // Room again: it heals by itself.
        _ = try await bed.shell("rm '\(bed.stateDirectory.path)/filler'")
        var healed = try await bed.evaluate(key: "while-full")
        for _ in 0..<100 where healed.status == 503 {
            try await Task.sleep(for: .milliseconds(100))
            healed = try await bed.evaluate(key: "while-full")
        }
        #expect(healed.status == 200, "\(healed.status) \(healed.text) \(bed.gateway.isRunning)")
        await bed.stop()
    }

    @Test func anAnswerThatCannotBeStoredIsDeliveredAndStoredLater() async throws {
        let bed = try await TestBed(Self.small())
        try await bed.faults("slow:1500")
        async let answer = bed.evaluate(key: "paid")
        try await until("the platform has it") { try await !bed.platformLog().isEmpty }
        // The claim is written; the answer is still on its way.
        try await Self.fill(bed)
        let first = try await answer
        #expect(first.status == 200, "\(first.text)")
        if first["speechgate-stored"] == "no" {
            let again = try await bed.evaluate(key: "paid")
            #expect(again.body == first.body && again["idempotency-replayed"] == "true", "served from memory")
            #expect(try await bed.evaluate(key: "new").status == 503)
        }
        _ = try await bed.shell("rm '\(bed.stateDirectory.path)/filler'")
        for _ in 0..<100 {
            if try await bed.evaluate(key: "new").status == 200 { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        await bed.stop()
    }

    @Test func aReadOnlyStateDirectoryIsRefusedAtTheStart() async throws {
        let bed = try await TestBed()
        bed.gateway.signal(SIGTERM)
        await bed.gateway.wait()
        // The same state, seen through a mount that cannot be written.
        let state = bed.stateDirectory.path
        let script = "mount --bind '\(state)' '\(state)' && mount -o remount,bind,ro '\(state)' && exec \"$@\""
        let program = ChildProcess.program("speechgate").path
        let gateway = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/unshare"),
            ["-m", "sh", "-c", script, "sh", program, "serve", "--config", bed.config.path],
            log: bed.folder.appendingPathComponent("read-only.log")
        )
        #expect(await gateway.wait() != 0)
        #expect(gateway.errorText.contains(state), "\(gateway.errorText)")
        await bed.stop()
    }
}
