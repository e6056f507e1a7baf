import Foundation
import TestSupport
import Testing

/// More than the gateway can do, clients that are slow on purpose, and no descriptors left: everyone who behaves is served.
@Suite struct OverloadTests {
    private static func bed(
        _ limits: String,
        _ configure: (inout TestBed.Settings) -> Void = { _ in }
    ) async throws
        -> TestBed
    {
        var settings = TestBed.Settings()
        settings.gateway["limits"] = "{ \(limits) }"
        configure(&settings)
        return try await TestBed(settings)
    }

    private static func metric(_ name: String, _ bed: TestBed) async throws -> Double {
        let metrics = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/metrics").text
        let line = metrics.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return try #require(line.flatMap { Double($0.dropFirst(name.count + 1)) }, "\(name)")
    }

    private static func count(_ message: String, _ bed: TestBed) throws -> Int {
        try String(contentsOf: bed.gatewayLog, encoding: .utf8).components(separatedBy: #""\#(message)"#).count - 1
    }

    // MARK: Too many requests

    @Test func beyondTheLimitThereIsAResultOrA503AndHealthAnswersInTime() async throws {
        let bed = try await Self.bed("requests: 8") { $0.simulator = ["--processing-ms", "300"] }
        #expect(try await bed.evaluate(key: "warm").status == 200)
        let memory = try await Self.metric("process_resident_memory_bytes", bed)
        let probes = Task {
            var times: [Duration] = []
            while !Task.isCancelled {
                for path in ["/healthz", "/readyz"] {
                    let start = ContinuousClock.now
                    let answer = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", path)
                    #expect(answer.status == 200)
                    times.append(ContinuousClock.now - start)
                }
                try? await Task.sleep(for: .milliseconds(20))
            }
            return times
        }
        let answers = try await withThrowingTaskGroup(of: [TestResponse].self) { group in
            for wave in 0..<3 {
                group.addTask {
                    try await Task.sleep(for: .milliseconds(150 * wave))
                    return try await LimitTests.rush(40, on: bed, user: "wave-\(wave)")
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        probes.cancel()
        // The machine that runs the tests may be busy at times; probes that wait behind calls, each of which takes 300 ms
        // and more, are late every time.
        let times = try await probes.value.sorted()
        #expect(times[times.count / 2] < .milliseconds(250), "\(times)")
        let served = answers.filter { $0.status == 200 }
        let shed = answers.filter { $0.status == 503 }
        #expect(served.count >= 8 && !shed.isEmpty && served.count + shed.count == 120, "\(answers.map(\.status))")
        for answer in shed {
            #expect(answer["retry-after"] == "2" && answer.json("reason") == "requests", "\(answer.text)")
            #expect(answer.json("code") == "50000" && answer["idempotency-key"]?.hasPrefix("rush-wave-") == true)
        }
        #expect(try await Self.metric(#"speechgate_limit_refusals_total{limit="requests"}"#, bed) == Double(shed.count))
        #expect(try await Self.metric("process_resident_memory_bytes", bed) < memory + 48 * 1_048_576)
        // What was shed was not sent, and with room again everything is as before.
        #expect(try await bed.billed() == 1 + served.count)
        #expect(try await Self.metric("speechgate_requests_running", bed) == 0)
        #expect(try await LimitTests.rush(8, on: bed, user: "later").allSatisfy { $0.status == 200 })
        await bed.stop()
    }

    // MARK: Slow clients

    /// Ends of connections that do one thing slowly, while others are served.
    @Test func slowClientsAreCutAtTheirDeadlinesAndOthersAreServed() async throws {
        let bed = try await Self.bed(
            #"headTimeout: "500ms", bodyIdleTimeout: "500ms", bodyTimeout: "2s", writeTimeout: "500ms""#
        )
        let head = "POST /api/v1/evaluate HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(bed.apiKey)\r\n"
        let body =
            head + "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n"
            + "--x\r\nContent-Disposition: form-data; name=\"audio\"; filename=\"a.wav\"\r\n\r\n"
        // One never finishes its head, one stops in its body, one sends a byte of it now and then.
        let heads = try (0..<20).map { _ in try TestHTTPClient(port: bed.port) }
        for client in heads { client.send(head) }
        let bodies = try (0..<20).map { _ in try TestHTTPClient(port: bed.port) }
        for client in bodies { client.send(body) }
        let trickle = try TestHTTPClient(port: bed.port)
        trickle.send(body)
        let trickling = Task {
            while !Task.isCancelled {
                trickle.send("-")
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        let start = ContinuousClock.now
        var served = 0
        while ContinuousClock.now - start < .seconds(3) {
            #expect(try await bed.evaluate(key: "good-\(served)").status == 200)
            served += 1
        }
        for client in heads + bodies {
            let answer = await client.receive()
            #expect(answer.status == 408 && answer.json("code") == "40001", "\(answer.text)")
        }
        let answer = await trickle.receive()
        #expect(answer.status == 408, "\(answer.text)")
        trickling.cancel()
        #expect(try await bed.billed() == served)
        try await Self.untilConnectionsEnd(bed)
        await bed.stop()
    }

    @Test func whoReadsNothingIsCutAndOthersAreServed() async throws {
        let bed = try await Self.bed(#"writeTimeout: "500ms""#)
        let recordID = try #require(try await bed.evaluate(key: "k").json("recordId"))
        let fields = [("Authorization", "Bearer \(bed.apiKey)")]
        let request = TestHTTPClient.request("GET", "/v1/records/\(recordID)", fields: fields, close: false)
        // Answers to many requests fill the way back, which nobody empties.
        let deaf = try TestHTTPClient(port: bed.port, timeout: 1)
        async let sent: Void = onThread { for _ in 0..<4_000 { deaf.send(request) } }
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(2) { #expect(try await bed.get("/v1/whoami").status == 200) }
        await sent
        try await Self.untilConnectionsEnd(bed)
        // It was there to the end.
        withExtendedLifetime(deaf) {}
        await bed.stop()
    }

    private static func untilConnectionsEnd(_ bed: TestBed) async throws {
        try await until("no connection is open") { try await Self.metric("speechgate_connections_open", bed) == 0 }
    }

    // MARK: No descriptors

    /// Idle clients take what they may, and calls still have descriptors to reach the platform by.
    @Test func aCrowdOfIdleClientsLeavesDescriptorsForCalls() async throws {
        let bed = try await Self.bed("") {
            $0.environment = ["sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh"]
        }
        let clients = try (0..<4).map { _ in try TestHTTPClient(port: bed.port) }
        let crowd = try (0..<400).map { _ in try TestHTTPClient(port: bed.port) }
        for _ in 0..<500 {
            if try await Self.metric("speechgate_connections_accepted_total", bed) > 400 { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        for (index, client) in clients.enumerated() {
            // Beyond what stays in memory.
            let form = TestForm.evaluation(audio: TestAudio.wav(seconds: 40))
            let fields = [
                ("Authorization", "Bearer \(bed.apiKey)"), form.contentType, ("Idempotency-Key", "k-\(index)"),
            ]
            client.send(TestHTTPClient.request("POST", "/api/v1/evaluate", fields: fields, body: form.bytes))
            let answer = await client.receive()
            #expect(answer.status == 200, "\(answer.text)")
        }
        #expect(try await bed.billed() == 4)
        #expect(try await Self.metric(#"speechgate_connections_shed_total{reason="connections"}"#, bed) > 100)
        #expect(try await Self.metric(#"speechgate_connections_shed_total{reason="descriptors"}"#, bed) == 0)
        #expect(try Self.count("file descriptors are too few for limits.connections", bed) == 1)
        withExtendedLifetime(crowd) {}
        await bed.stop()
    }

    @Test func runningOutOfDescriptorsIsSurvivedAndLoggedOnce() async throws {
        let bed = try await Self.bed("") {
            $0.environment = ["sh", "-c", "ulimit -n 64 && exec \"$@\"", "sh"]
        }
        #expect(try await bed.evaluate(key: "before").status == 200)
        let early = try TestHTTPClient(port: bed.port)
        let fields = [("Authorization", "Bearer \(bed.apiKey)")]
        let request = TestHTTPClient.request("GET", "/v1/whoami", fields: fields, close: false)
        early.send(request)
        #expect(await early.receive().status == 200)
        // More than there are descriptors; the kernel takes them, whoever cannot be served is closed on.
        let crowd = try (0..<120).map { _ in try TestHTTPClient(port: bed.port, timeout: 5) }
        for _ in 0..<200 where try Self.count("connections cannot be accepted, raise the limit of open files", bed) == 0
        {
            try await Task.sleep(for: .milliseconds(20))
        }
        // Who was in stays served.
        early.send(request)
        #expect(await early.receive().status == 200)
        try await Task.sleep(for: .milliseconds(500))
        #expect(try Self.count("connections cannot be accepted, raise the limit of open files", bed) == 1)
        for client in crowd { client.reset() }
        var after: TestResponse?
        for _ in 0..<200 where after?.status != 200 {
            after = try? await bed.evaluate(key: "after")
            if after?.status != 200 { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(after?.status == 200, "\(after?.text ?? "")")
        #expect(try await Self.metric(#"speechgate_connections_shed_total{reason="descriptors"}"#, bed) > 0)
        #expect(try await Self.metric(#"speechgate_connections_shed_total{reason="connections"}"#, bed) == 0)
        #expect(bed.gateway.isRunning)
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }
}
