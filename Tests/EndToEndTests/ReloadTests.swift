import Foundation
import TestSupport
import Testing

/// `speechgate reload` and SIGHUP: what takes effect, what is named, and what changes nothing.
@Suite struct ReloadTests {
    private static func bed(_ configure: (inout TestBed.Settings) -> Void = { _ in }) async throws -> TestBed {
        var settings = TestBed.Settings()
        settings.gateway["limits"] = "{ client: { concurrency: 50 } }"
        settings.accounts = [.init(name: "main")]
        configure(&settings)
        return try await TestBed(settings)
    }

    /// The log's lines with a message.
    private static func log(_ bed: TestBed, _ message: String) throws -> [String] {
        try String(contentsOf: bed.gatewayLog, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { $0.contains(#""\#(message)""#) }
    }

    @Test func aRotatedSecretTakesEffectWithoutARestart() async throws {
        let bed = try await Self.bed()
        try await bed.faults("rotate-secret:the-new-secret")
        _ = try await bed.evaluate(key: "a")
        #expect(try await bed.evaluate(key: "b").json("reason") == "account_not_ready")
        #expect(try await bed.evaluate(key: "c").json("reason") == "account_not_ready")
        try Data("the-new-secret".utf8).write(to: bed.folder.appendingPathComponent("main.secret"))
        let reload = try await bed.speechgate("reload")
        #expect(reload.status == 0 && reload.output == #"{"changed":["yugu.accounts"],"needRestart":[]}"# + "\n")
        // At once, without waiting for the next probe.
        #expect(try await bed.evaluate(key: "c").status == 200)
        await bed.stop()
    }

    @Test func limitsAccountsAndLogLevelAreLiveAndTheRestIsNamed() async throws {
        let bed = try await Self.bed()
        try bed.edit("concurrency: 50", #"rate: "1/1h""#)
        try bed.edit("loops: 2", "loops: 3")
        try bed.edit(#"level: "debug""#, #"level: "warning""#)
        let reload = try await bed.speechgate("reload")
        let expected = #"{"changed":["log.level","limits.clients"],"needRestart":["loops"]}"# + "\n"
        #expect(reload.status == 0 && reload.output == expected, "\(reload.output)")
        #expect(try await bed.evaluate(key: "a").status == 200)
        let requests = try Self.log(bed, "request").count
        #expect(try await bed.evaluate(key: "b").json("code") == "42900")
        #expect(try Self.log(bed, "request").count == requests, "requests are logged as info")
        // Once more: nothing is new, and the restart is still due.
        let again = try await bed.speechgate("reload")
        #expect(again.output == #"{"changed":[],"needRestart":["loops"]}"# + "\n")
        await bed.stop()
    }

    @Test func limitsOfConnectionsAndTrustedProxiesAreLive() async throws {
        let bed = try await Self.bed { $0.gateway["trustedProxies"] = "[]" }
        let added = try await bed.speechgate("client", "add", "near", "--addresses", "192.0.2.7")
        let key = try #require(JSONText.member("apiKey", of: Array(added.output.utf8)))
        let fields = [("Authorization", "Bearer \(key)"), ("X-Forwarded-For", "192.0.2.7")]
        let request = TestHTTPClient.request("GET", "/v1/whoami", fields: fields, close: false)
        let first = try TestHTTPClient(port: bed.port)
        first.send(request)
        #expect(await first.receive().status == 403)
        try bed.edit("concurrency: 50 }", #"concurrency: 50 }, connections: 2, headTimeout: "2s""#)
        try bed.edit("trustedProxies: []", #"trustedProxies: ["127.0.0.1"]"#)
        let reload = try await bed.speechgate("reload")
        let changed = #"{"changed":["trustedProxies","limits.connections","limits.headTimeout"],"needRestart":[]}"#
        #expect(reload.output == changed + "\n", "\(reload)")
        // The connection that was there before lives by the new rules, too.
        first.send(request)
        #expect(await first.receive().status == 200)
        let second = try TestHTTPClient(port: bed.port)
        second.send("GET /v1/whoami HTTP/1.1\r\n")
        let third = try TestHTTPClient(port: bed.port)
        let shed = await third.receive()
        #expect(shed.status == 503 && shed["retry-after"] != nil, "\(shed.text)")
        #expect(await second.receive().status == 408)
        await bed.stop()
    }

    @Test func aFaultyConfigurationIs78WithTheKeyAndChangesNothing() async throws {
        let bed = try await Self.bed()
        try bed.edit("concurrency: 50", #"concurrency: 0, rate: "1/1h", wait: 3"#)
        let reload = try await bed.speechgate("reload")
        #expect(reload.status == 78)
        let complaints = try String(contentsOf: bed.folder.appendingPathComponent("verbs.log"), encoding: .utf8)
        #expect(complaints.contains("speechgate.json5:limits.client.concurrency: 0 is out of range"), "\(complaints)")
        #expect(complaints.contains("speechgate.json5:limits.client.wait: unknown key"), "\(complaints)")
        for key in ["a", "b", "c"] { #expect(try await bed.evaluate(key: key).status == 200) }
        try FileManager.default.removeItem(at: bed.folder.appendingPathComponent("main.secret"))
        try bed.edit(#"concurrency: 0, rate: "1/1h", wait: 3"#, "concurrency: 1")
        #expect(try await bed.speechgate("reload").status == 78)
        let answers = try await LimitTests.rush(5, on: bed)
        #expect(answers.allSatisfy { $0.status == 200 })
        await bed.stop()
    }

    @Test func noRequestIsDroppedWhileAccountsChange() async throws {
        let bed = try await Self.bed {
            $0.simulator = ["--processing-ms", "30"]
            $0.accounts = [.init(name: "main", members: "concurrency: 4"), .init(name: "other")]
        }
        let isDone = Task {
            for round in 0..<6 {
                try bed.edit(
                    round % 2 == 0 ? "concurrency: 4" : "concurrency: 2",
                    round % 2 == 0 ? "concurrency: 2" : "concurrency: 4"
                )
                let reload = try await bed.speechgate("reload")
                #expect(reload.status == 0, "\(reload.output)")
            }
        }
        let answers = try await LimitTests.rush(40, on: bed)
        try await isDone.value
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
        #expect(try await bed.billed() == 40)
        // What the changes gave and took away is what is left: two at a time and no fewer.
        #expect(try await LimitTests.rush(6, on: bed, user: "mei").allSatisfy { $0.status == 200 })
        await bed.stop()
    }

    /// A rotation of the master: what was given out before goes on while the old one is named, and ends with it.
    @Test func aMasterIsRotatedWithoutARestart() async throws {
        let bed = try await Self.bed()
        func mint() async throws -> String {
            let made = try await bed.speechgate("token", "--client", "school", "--user", "mei")
            return try #require(JSONText.member("access_token", of: Array(made.output.utf8)))
        }
        func status(_ token: String) async throws -> Int {
            let fields = [("Authorization", "Bearer \(token)")]
            return try await TestHTTPClient.exchange(port: bed.port, "GET", "/v1/whoami", fields: fields).status
        }
        let old = try await mint()
        _ = try await bed.evaluate(key: "a")
        let master = bed.folder.appendingPathComponent("master.secret")
        let before = bed.folder.appendingPathComponent("before.secret")
        // Without the old one beside it, a new master is for a restart, and the old one goes on.
        try FileManager.default.moveItem(at: master, to: before)
        let secret = String(repeating: "89abcdef01234567", count: 4)
        #expect(
            FileManager.default.createFile(
                atPath: master.path,
                contents: Data(secret.utf8),
                attributes: [.posixPermissions: 0o600]
            )
        )
        let alone = try await bed.speechgate("reload")
        #expect(alone.output == #"{"changed":[],"needRestart":["secrets.master"]}"# + "\n")
        #expect(try await status(old) == 200)
        try bed.edit("secrets: {", "secrets: { previousMaster: { file: \"\(before.path)\" }, ")
        let rotated = try await bed.speechgate("reload")
        let changed = #"{"changed":["secrets.previousMaster","secrets.master"],"needRestart":[]}"# + "\n"
        #expect(rotated.output == changed, "\(rotated.output)")
        let new = try await mint()
        #expect(try await [status(old), status(new), bed.get("/v1/whoami").status] == [200, 200, 200])
        #expect(try await bed.evaluate(key: "a")["idempotency-replayed"] == "true", "fingerprints are no master's")
        try bed.edit("previousMaster: { file: \"\(before.path)\" }, ", "")
        #expect(
            try await bed.speechgate("reload").output == #"{"changed":["secrets.previousMaster"],"needRestart":[]}"#
                + "\n"
        )
        #expect(try await [status(old), status(new)] == [401, 200])
        await bed.stop()
    }

    @Test func aHangUpReloadsAndTheLogTells() async throws {
        let bed = try await Self.bed()
        try bed.edit("concurrency: 50", #"rate: "1/1h""#)
        bed.gateway.signal(SIGHUP)
        for _ in 0..<200 where try Self.log(bed, "configuration reloaded").isEmpty {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try Self.log(bed, "configuration reloaded").first?.contains("limits.clients") == true)
        #expect(try await bed.evaluate(key: "a").status == 200)
        #expect(try await bed.evaluate(key: "b").status == 429)
        try bed.edit(#"rate: "1/1h""#, "rate: 7")
        bed.gateway.signal(SIGHUP)
        for _ in 0..<200 where try Self.log(bed, "configuration refused; the old one stays").isEmpty {
            try await Task.sleep(for: .milliseconds(20))
        }
        let refusal = try Self.log(bed, "configuration refused; the old one stays")
        #expect(refusal.first?.contains("limits.client.rate") == true, "\(refusal)")
        #expect(try await bed.evaluate(key: "c").status == 429)
        await bed.stop()
    }

    @Test func withoutADaemonThereIsNothingToReload() async throws {
        let bed = try await Self.bed()
        await bed.stop(keepingFiles: true)
        #expect(try await bed.speechgate("reload").status == 69)
        bed.removeFiles()
    }
}
