import Foundation
import Locking
import TestSupport
import Testing

/// Listeners follow the configuration while connections, requests and sessions go on.
@Suite struct ListenerReloadTests {
    private static func bed(_ configure: (inout TestBed.Settings) -> Void = { _ in }) async throws -> TestBed {
        var settings = TestBed.Settings()
        settings.gateway["echo"] = "false"
        settings.gateway["limits"] = "{ client: { concurrency: 50 } }"
        configure(&settings)
        return try await TestBed(settings)
    }

    private static func whoami(_ bed: TestBed, on client: TestHTTPClient) async -> Int {
        let fields = [("Authorization", "Bearer \(bed.apiKey)")]
        client.send(TestHTTPClient.request("GET", "/v1/whoami", fields: fields, close: false))
        return await client.receive().status
    }

    private static func listen(_ ports: UInt16...) -> String {
        "listen: [" + ports.map { "\"127.0.0.1:\($0)\"" }.joined(separator: ", ") + "]"
    }

    @Test func aListenerMovesAndItsConnectionsStay() async throws {
        let bed = try await Self.bed()
        let next = try ReservedPort()
        let open = try TestHTTPClient(port: bed.port)
        #expect(await Self.whoami(bed, on: open) == 200)
        try bed.edit(Self.listen(0), Self.listen(next.number))
        let reload = try await bed.speechgate("reload")
        #expect(reload.output == #"{"changed":["listen"],"needRestart":[]}"# + "\n", "\(reload)")
        #expect(throws: TestHTTPClient.Failure.self) { try TestHTTPClient(port: bed.port) }
        #expect(await Self.whoami(bed, on: open) == 200)
        #expect(await Self.whoami(bed, on: try TestHTTPClient(port: next.number)) == 200)
        await bed.stop()
    }

    @Test(.enabled(if: RealtimeClient.isExpected, "run scripts/setup.sh --tests"))
    func aSessionOutlivesItsListener() async throws {
        let bed = try await Self.bed()
        let next = try ReservedPort()
        async let spoken = bed.realtime().run(Round.native("k", pace: 0.4))
        try await until("the session is open") { try await bed.bills().sessions.open == 1 }
        try bed.edit(Self.listen(0), Self.listen(next.number))
        #expect(try await bed.speechgate("reload").status == 0)
        #expect(throws: TestHTTPClient.Failure.self) { try TestHTTPClient(port: bed.port) }
        #expect(try await bed.billed() == 0, "the round still runs")
        try await spoken.expectOneResult()
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func theOperationsListenerMoves() async throws {
        let bed = try await Self.bed()
        let next = try ReservedPort()
        try bed.edit(#"operations: { listen: "127.0.0.1:0" }"#, #"operations: { listen: "127.0.0.1:\#(next.number)" }"#)
        #expect(try await bed.speechgate("reload").status == 0)
        let health = try await TestHTTPClient.exchange(port: next.number, "GET", "/healthz")
        #expect(health.status == 200)
        #expect(throws: TestHTTPClient.Failure.self) { try TestHTTPClient(port: bed.operationsPort) }
        await bed.stop()
    }

    @Test func anAddressInUseKeepsTheWholeOldConfiguration() async throws {
        let bed = try await Self.bed()
        let next = try ReservedPort()
        // The last one is the simulator's.
        try bed.edit(Self.listen(0), Self.listen(next.number, bed.simulatorPort))
        try bed.edit("concurrency: 50", #"rate: "1/1h""#)
        let reload = try await bed.speechgate("reload")
        #expect(reload.status == 69)
        let complaints = try String(contentsOf: bed.folder.appendingPathComponent("verbs.log"), encoding: .utf8)
        #expect(complaints.contains("cannot listen on 127.0.0.1:\(bed.simulatorPort): it is in use"), "\(complaints)")
        let log = try String(contentsOf: bed.gatewayLog, encoding: .utf8)
        #expect(log.contains("configuration refused; the old one stays"))
        #expect(throws: TestHTTPClient.Failure.self) { try TestHTTPClient(port: next.number) }
        for _ in 0..<3 { #expect(try await bed.get("/v1/whoami").status == 200) }
        await bed.stop()
    }

    @Test func aRouteWithoutCredentialsIsNotOpenedToOtherMachines() async throws {
        let bed = try await Self.bed { $0.gateway["echo"] = "true" }
        let next = try ReservedPort()
        try bed.edit(Self.listen(0), "listen: [\"0.0.0.0:\(next.number)\"]")
        try bed.edit("echo: true", "echo: false")
        let reload = try await bed.speechgate("reload")
        #expect(reload.output == #"{"changed":[],"needRestart":["listen","echo"]}"# + "\n", "\(reload)")
        #expect(throws: TestHTTPClient.Failure.self) { try TestHTTPClient(port: next.number) }
        #expect(try await bed.get("/v1/echo").status == 200)
        await bed.stop()
    }

    /// Clients of all kinds go on while the configuration changes twenty times, by signal and by command in turn.
    @Test(.enabled(if: RealtimeClient.isExpected, "run scripts/setup.sh --tests"))
    func twentyReloadsUnderLoadLoseNothing() async throws {
        let bed = try await Self.bed()
        let second = try ReservedPort()
        let isOver = Locked(false)
        let calls = Locked(0)
        @Sendable func work(_ request: @Sendable (Int) async throws -> Int) async throws -> [Int] {
            var statuses: [Int] = []
            while !isOver.withLock({ $0 }) {
                statuses.append(try await request(statuses.count))
                try await Task.sleep(for: .milliseconds(10))
            }
            return statuses
        }
        let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<3 {
                let client = try TestHTTPClient(port: bed.port)
                group.addTask { try await work { _ in await Self.whoami(bed, on: client) } }
            }
            for name in ["a", "b"] {
                group.addTask {
                    // A connection of its own for each.
                    try await work { number in
                        calls.withLock { $0 += 1 }
                        return try await bed.evaluate(key: "\(name)-\(number)").status
                    }
                }
            }
            group.addTask {
                // Somebody speaks all the time.
                let sessions = [0.0, 5.0].map { after in
                    var session = RealtimeClient.Session([
                        .send(Round.start("round-\(after)")), .await("started"), .audio(seconds: 7, pace: 1), Round.end,
                        .await("outcome"),
                    ])
                    session.after = after
                    return session
                }
                let seen = try await bed.realtime().run(sessions: sessions)
                for session in seen { session.expectOneResult() }
                return seen.map { $0.results.count == 1 ? 200 : 0 }
            }
            var overSecond: TestHTTPClient?
            for round in 0..<20 {
                // Every other configuration has a second listener, and another limit.
                if round % 2 == 0 {
                    try bed.edit(Self.listen(0), "listen: [\"127.0.0.1:0\", \"127.0.0.1:\(second.number)\"]")
                    try bed.edit("concurrency: 50", "concurrency: 60")
                } else {
                    try bed.edit("listen: [\"127.0.0.1:0\", \"127.0.0.1:\(second.number)\"]", Self.listen(0))
                    try bed.edit("concurrency: 60", "concurrency: 50")
                }
                if round % 4 < 2 {
                    #expect(try await bed.speechgate("reload").status == 0)
                } else {
                    bed.gateway.signal(SIGHUP)
                    try await Self.untilReloaded(round + 1, bed)
                }
                // What came over the second listener stays when that goes, and comes back, and goes.
                let client = try overSecond ?? TestHTTPClient(port: second.number)
                overSecond = client
                #expect(await Self.whoami(bed, on: client) == 200, "round \(round)")
                try await Task.sleep(for: .milliseconds(200))
            }
            isOver.withLock { $0 = true }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(statuses.count > 100 && statuses.allSatisfy { $0 == 200 }, "\(statuses.filter { $0 != 200 })")
        #expect(try await bed.billed() == calls.withLock { $0 } + 2)
        await bed.stop()
    }

    private static func untilReloaded(_ count: Int, _ bed: TestBed) async throws {
        try await until("it is reloaded \(count) times") {
            let log = try String(contentsOf: bed.gatewayLog, encoding: .utf8)
            return log.components(separatedBy: #""configuration reloaded""#).count > count
        }
    }
}
