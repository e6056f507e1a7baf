import Foundation
import TestSupport
import Testing

/// Where the real daemon's log goes, and what of it is left out.
@Suite struct LogOutputTests {
    private static func bed(
        log: String,
        _ configure: (inout TestBed.Settings) -> Void = { _ in }
    ) async throws -> TestBed {
        var settings = TestBed.Settings()
        settings.gateway["log"] = log
        configure(&settings)
        return try await TestBed(settings)
    }

    private static func objects(_ text: String) -> [[String: Any]] {
        text.split(separator: "\n").compactMap { JSONText.object(Array($0.utf8)) }
    }

    private static func contents(_ bed: TestBed, _ name: String) throws -> String {
        try String(contentsOf: bed.folder.appendingPathComponent(name), encoding: .utf8)
    }

    /// A request of the client that fails: its line is never left out.
    private static func fail(_ bed: TestBed, requestID: String) async throws {
        #expect(try await bed.get("/v1/records/none", fields: [("X-Request-Id", requestID)]).status == 404)
    }

    @Test(.timeLimit(.minutes(1)))
    func rotationUnderLoadLosesNoLine() async throws {
        let bed = try await Self.bed(log: #"{ file: "access.log", linesPerSecond: 1 }"#)
        let file = bed.folder.appendingPathComponent("access.log").path
        let rotating = Task {
            for round in 0..<5 {
                try await Task.sleep(for: .milliseconds(50))
                #expect(rename(file, "\(file).\(round)") == 0)
                bed.gateway.signal(SIGUSR1)
                // It has been opened again when it is there again.
                for _ in 0..<500 where access(file, F_OK) != 0 { try await Task.sleep(for: .milliseconds(10)) }
            }
        }
        var count = 0
        repeat {
            for number in count..<count + 20 { try await Self.fail(bed, requestID: "r-\(number)") }
            count += 20
        } while access("\(file).4", F_OK) != 0 || access(file, F_OK) != 0
        try await rotating.value
        await bed.stop(keepingFiles: true)
        defer { bed.removeFiles() }
        let names = (0..<5).map { "access.log.\($0)" } + ["access.log"]
        let text = try names.map { try Self.contents(bed, $0) }.joined()
        let lines = Self.objects(text)
        #expect(lines.count == text.split(separator: "\n").count, "every line is whole")
        let requests = lines.filter { $0["message"] as? String == "request" }.compactMap { $0["request.id"] as? String }
        #expect(requests.filter { $0.hasPrefix("r-") } == (0..<count).map { "r-\($0)" })
        #expect(lines.last?["message"] as? String == "stopped")
        #expect(lines.filter { $0["message"] as? String == "log file opened again" }.count == 5)
        #expect(try Self.contents(bed, "gateway.log").isEmpty, "nothing goes to standard error")
    }

    @Test func aFullDiskOfTheLogStopsNoRequest() async throws {
        let bed = try await Self.bed(log: #"{ file: "state/access.log" }"#) { $0.stateSize = "6m" }
        #expect(try await bed.evaluate(key: "k").status == 200)
        let state = bed.stateDirectory.path
        _ = try await bed.shell("dd if=/dev/zero of='\(state)/filler' bs=1k 2>/dev/null; true")
        for number in 0..<50 { try await Self.fail(bed, requestID: "full-\(number)") }
        let replay = try await bed.evaluate(key: "k")
        #expect(replay.status == 200 && replay["idempotency-replayed"] == "true")
        let metrics = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/metrics").text
        let lost = metrics.split(separator: "\n").first { $0.hasPrefix("speechgate_log_lines_lost_total ") }
        #expect(try #require(lost?.split(separator: " ").last.flatMap { Int($0) }) > 0)
        _ = try await bed.shell("rm '\(state)/filler'")
        for number in 0..<10 { try await Self.fail(bed, requestID: "room-\(number)") }
        let text = try await bed.shell("cat '\(state)/access.log'").output
        // The one that was written when the room ended may be half a line; what follows stands on lines of its own.
        #expect(text.split(separator: "\n").count - Self.objects(text).count <= 1, "\(text)")
        let requests = Self.objects(text).compactMap { $0["request.id"] as? String }
        #expect(requests.filter { $0.hasPrefix("room-") } == (0..<10).map { "room-\($0)" })
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func routineIsLeftOutAndCountedButNoFailureAndNoPaidCall() async throws {
        let bed = try await Self.bed(log: "{ linesPerSecond: 1 }") { $0.clientScopes = "all" }
        for number in 0..<20 {
            #expect(try await bed.get("/v1/whoami").status == 200)
            try await Self.fail(bed, requestID: "f-\(number)")
            let fields = [("Authorization", "Bearer sg_nobody")]
            #expect(try await TestHTTPClient.exchange(port: bed.port, "GET", "/v1/usage", fields: fields).status == 401)
        }
        for key in ["a", "b", "c"] { #expect(try await bed.evaluate(key: key).status == 200) }
        // What makes or changes something leaves its line, whoever else fills the log.
        for _ in 0..<3 {
            let minted = try await TestHTTPClient.exchange(
                port: bed.port,
                "POST",
                "/v1/tokens",
                fields: [("Authorization", "Bearer \(bed.apiKey)"), ("Content-Type", "application/json")],
                body: Array(#"{"userId":"mei"}"#.utf8)
            )
            #expect(minted.status == 200)
        }
        await bed.stop(keepingFiles: true)
        defer { bed.removeFiles() }
        let lines = Self.objects(try Self.contents(bed, "gateway.log"))
        let requests = lines.filter { $0["message"] as? String == "request" }
        #expect(requests.filter { $0["http.status"] as? Int == 404 }.count == 20)
        #expect(requests.filter { $0["attempts"] as? Int == 1 }.count == 3)
        #expect(requests.filter { $0["http.route"] as? String == "/v1/tokens" }.count == 3)
        let routine = requests.filter { ["/v1/whoami", "/v1/usage"].contains($0["http.route"] as? String) }.count
        let leftOut = lines.filter { $0["log.message"] as? String == "request" }
            .compactMap { $0["log.left_out"] as? Int }
        #expect(routine > 0 && routine < 40)
        #expect(routine + leftOut.reduce(0, +) == 40, "\(routine) \(leftOut)")
    }

    /// Standard error is the journal's, as systemd says it; a socket of the test's stands where the journal's is.
    @Test func theJournalGetsTheDataAsFields() async throws {
        let journal = try JournalSocket()
        let collecting = Task {
            var entries: [[String: String]] = []
            while let entry = await journal.next(within: 60) {
                entries.append(entry)
                if entry["MESSAGE"]?.contains(#""message":"stopped""#) == true { break }
            }
            return entries
        }
        let script = """
            mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/journal && : >/run/systemd/journal/socket &&
            mount --bind '\(journal.path)' /run/systemd/journal/socket &&
            export JOURNAL_STREAM="$(stat -L -c %d:%i /proc/self/fd/2)" && exec "$@"
            """
        let bed = try await Self.bed(log: "{}") { $0.environment = ["unshare", "-m", "sh", "-c", script, "sh"] }
        let answer = try await bed.evaluate(key: "k", fields: [("X-Request-Id", "order-7")])
        #expect(answer.status == 200)
        await bed.stop(keepingFiles: true)
        defer { bed.removeFiles() }
        let entries = await collecting.value
        let entry = try #require(entries.first { $0["REQUEST_ID"] == "order-7" && $0["HTTP_ROUTE"] != nil })
        #expect(entry["PRIORITY"] == "6" && entry["SYSLOG_IDENTIFIER"] == "speechgate")
        #expect(entry["HTTP_STATUS"] == "200" && entry["CLIENT_ID"] == "school" && entry["ATTEMPTS"] == "1")
        #expect(entry["RECORD_ID"] == answer.json("recordId"))
        let line = try #require(JSONText.object(Array(entry["MESSAGE", default: ""].utf8)))
        #expect(line["request.id"] as? String == "order-7" && line["http.status"] as? Int == 200)
        #expect(try Self.contents(bed, "gateway.log").isEmpty, "nothing goes to standard error")
    }

    @Test func aSignalToReopenIsHarmlessWithoutAFile() async throws {
        let bed = try await Self.bed(log: "{}")
        bed.gateway.signal(SIGUSR1)
        #expect(try await bed.evaluate(key: "k").status == 200)
        #expect(bed.gateway.isRunning)
        await bed.stop()
    }
}
