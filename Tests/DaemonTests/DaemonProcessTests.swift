import Foundation
import TestSupport
import Testing

@testable import Daemon

/// The real program: start, signals, control socket, exit codes.
@Suite(.timeLimit(.minutes(2))) struct DaemonProcessTests {
    static func cli(
        _ words: [String],
        _ scratch: ScratchDirectory
    ) async throws -> (
        exitCode: Int32, output: String, errors: String
    ) {
        try await scratch.speechgate(words + ["--config", scratch.configuration])
    }

    @Test func itAnnouncesItsAddressesServesAndEndsOnSIGTERM() async throws {
        let scratch = try ScratchDirectory(settings: "echo: true")
        let daemon = try await scratch.serve(["--ready-file", scratch.file("ready")])
        #expect(
            daemon.line == #"{"gateway":"http://127.0.0.1:\#(daemon.port)","#
                + #""ops":"http://127.0.0.1:\#(daemon.operationsPort)"}"#
        )
        #expect(try String(contentsOfFile: scratch.file("ready"), encoding: .utf8) == daemon.line + "\n")
        #expect(try await daemon.get("/v1/echo").status == 200)

        let health = try await daemon.operations("/healthz")
        #expect(health.status == 200)
        let ready = try await daemon.operations("/readyz")
        #expect(ready.status == 200)
        let accounts = #"[{"name":"main","kind":"production","state":"usable"}]"#
        #expect(ready.text == #"{"ready":true,"reasons":[],"accounts":\#(accounts)}"# + "\n")
        let version = try await daemon.operations("/version")
        #expect(version.text.wholeMatch(of: /\{"version":"[0-9.]+"\}\n/) != nil)
        let metrics = try await daemon.operations("/metrics").text
        #expect(metrics.contains("speechgate_claims{state=\"sent\"} 0\n"))
        let series = "route=\"/v1/echo\",class=\"2xx\",client=\"none\""
        #expect(metrics.contains("speechgate_http_requests_total{\(series)} 1\n"))
        #expect(metrics.contains("speechgate_connections_accepted_total 1\n"))
        #expect(try await daemon.operations("/").status == 404)
        let post = try await daemon.operations("/healthz", method: "POST")
        #expect(post.status == 405)
        #expect(post["allow"] == "GET, HEAD")
        #expect(try await daemon.get("/metrics").status == 404, "operations stay apart")

        #expect(await daemon.terminate() == 0)
        let messages = daemon.process.errorText.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["message"] as? String
        }
        #expect(messages.contains("ready"))
        #expect(messages.suffix(3) == ["draining", "drained", "stopped"])
        #expect(!FileManager.default.fileExists(atPath: scratch.file("state/control.sock")))
    }

    @Test(arguments: [
        (
            "INSERT INTO migrations (name, digest) VALUES ('2027-01 more', 'x')",
            #"speechgate.db was written by a newer speechgate (it knows the step "2027-01 more"); run that version"#
        ),
        (
            "UPDATE migrations SET digest = 'x' WHERE position = 2",
            #"speechgate.db was written by another build of speechgate (its step "2026-11 quotas" is not the one"#
        ),
    ])
    func aStoreOfAnotherSchemaIs65AndNamesTheStep(change: String, complaint: String) async throws {
        let scratch = try ScratchDirectory()
        #expect(try await scratch.serve().terminate() == 0)
        let script = "import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()"
        let words = ["python3", "-c", script, scratch.file("state/speechgate.db"), change]
        #expect(try await ChildProcess.run(URL(fileURLWithPath: "/usr/bin/env"), words).status == 0)
        for verb in [["serve"], ["client", "list"]] {
            let run = try await Self.cli(verb, scratch)
            #expect(run.exitCode == 65 && run.output.isEmpty)
            #expect(run.errors.contains(complaint), "\(run.errors)")
        }
    }

    @Test func aClientIsKnownAtOnceAndUnknownAtOnce() async throws {
        let scratch = try ScratchDirectory()
        let daemon = try await scratch.serve()
        let added = try await Self.cli(["client", "add", "app"], scratch)
        #expect(added.exitCode == 0, "\(added.errors)")
        let key = try #require(try AdministrationTests.object(added.output)["apiKey"] as? String)
        let bearer = [("Authorization", "Bearer \(key)")]
        // 404 is what a known client hears about a key that was never used.
        #expect(try await daemon.get("/v1/keys/k", fields: bearer).status == 404)

        let list = try await Self.cli(["client", "list"], scratch)
        #expect(list.output.contains(#""client":"app""#))
        #expect(try await Self.cli(["client", "add", "app"], scratch).exitCode == 73)
        #expect(try await Self.cli(["client", "revoke", "other"], scratch).exitCode == 67)
        let revoked = try await Self.cli(["client", "revoke", "app"], scratch)
        #expect(revoked.exitCode == 0)
        #expect(try await daemon.get("/v1/keys/k", fields: bearer).status == 401)
        #expect(!daemon.process.errorText.contains(key), "keys are never logged")
        #expect(await daemon.terminate() == 0)
    }

    @Test func theControlSocketBelongsToItsUserAlone() async throws {
        let scratch = try ScratchDirectory()
        let daemon = try await scratch.serve()
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file("state/control.sock"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let folder = try FileManager.default.attributesOfItem(atPath: scratch.file("state"))
        #expect((folder[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        #expect(await daemon.terminate() == 0)
    }

    @Test func aSecondDaemonOnOneStateDirectoryIs75() async throws {
        let scratch = try ScratchDirectory()
        let daemon = try await scratch.serve()
        let second = try await Self.cli(["serve"], scratch)
        #expect(second.exitCode == 75)
        #expect(second.output.isEmpty)
        #expect(second.errors.hasPrefix("speechgate: another speechgate (pid "))
        #expect(second.errors.split(separator: "\n").count == 1)
        #expect(try await daemon.operations("/healthz").status == 200)
        #expect(await daemon.terminate() == 0)
    }

    @Test func aPortInUseIs69AndNothingStaysBehind() async throws {
        let scratch = try ScratchDirectory()
        let daemon = try await scratch.serve()
        let other = try ScratchDirectory()
        for option in ["127.0.0.1:\(daemon.port)", "127.0.0.1:\(daemon.operationsPort)"] {
            let second = try await Self.cli(["serve", "--listen", option], other)
            #expect(second.exitCode == 69)
            #expect(second.errors.contains("speechgate: cannot listen on \(option): it is in use"))
        }
        #expect(!FileManager.default.fileExists(atPath: other.file("state/control.sock")))
        // The state directory is free again.
        #expect(try await Self.cli(["client", "list"], other).exitCode == 0)
        #expect(await daemon.terminate() == 0)
    }

    @Test func anAddressThatDoesNotExistIs69() async throws {
        let scratch = try ScratchDirectory()
        let run = try await Self.cli(["serve", "--listen", "192.0.2.1:8790"], scratch)
        #expect(run.exitCode == 69)
        #expect(run.errors.contains("cannot listen on 192.0.2.1:8790: this machine has no such address"))
    }

    @Test func usageAndConfigurationFaultsHaveTheirCodes() async throws {
        let scratch = try ScratchDirectory(settings: "lisen: 1")
        #expect(try await scratch.speechgate([]).exitCode == 64)
        #expect(try await scratch.speechgate(["serve", "--nonsense"]).exitCode == 64)
        let run = try await Self.cli(["serve"], scratch)
        #expect(run.exitCode == 78)
        #expect(
            run.errors == #"speechgate: \#(scratch.configuration):lisen: unknown key; did you mean "listen"? (line 5)"#
                + "\n"
        )
        #expect(try await Self.cli(["check"], scratch).exitCode == 78)
        #expect(try await scratch.speechgate(["--version"]).exitCode == 0)
    }

    @Test func aCallThatRunsAtSIGTERMIsFinished() async throws {
        let scratch = try ScratchDirectory(settings: "echo: true")
        let daemon = try await scratch.serve()
        let idle = try TestHTTPClient(port: daemon.port)
        idle.send("GET /v1/echo HTTP/1.1\r\nHost: t\r\n\r\n")
        #expect(await idle.receive().status == 200)
        let running = try TestHTTPClient(port: daemon.port)
        running.send("POST /v1/echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
        #expect(await running.receive(takesInterim: true).status == 100, "the call runs")
        daemon.process.signal(SIGTERM)
        #expect(await idle.receiveEnd(), "an idle connection is closed")
        let ready = try await daemon.operations("/readyz")
        #expect(ready.status == 503)
        let accounts = #"[{"name":"main","kind":"production","state":"usable"}]"#
        #expect(ready.text == #"{"ready":false,"reasons":["draining"],"accounts":\#(accounts)}"# + "\n")
        #expect(throws: TestHTTPClient.Failure.self) { try TestHTTPClient(port: daemon.port) }
        running.send("0123456789")
        let answer = await running.receive()
        #expect(answer.status == 200)
        #expect(answer["connection"]?.lowercased() == "close")
        #expect(await daemon.process.wait() == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func theSecondSignalEndsAtOnce(second: Int32) async throws {
        let scratch = try ScratchDirectory(settings: "echo: true, drain: \"10m\"")
        let daemon = try await scratch.serve()
        let running = try TestHTTPClient(port: daemon.port)
        running.send("POST /v1/echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
        #expect(await running.receive(takesInterim: true).status == 100)
        daemon.process.signal(SIGINT)
        try await until("it drains") { try await daemon.operations("/readyz").status == 503 }
        daemon.process.signal(second)
        #expect(await running.receiveEnd())
        #expect(await daemon.process.wait() == 0)
        #expect(daemon.process.errorText.contains("stopping at once"))
    }

    @Test func drainingEndsWithItsTime() async throws {
        let scratch = try ScratchDirectory(settings: "echo: true, drain: \"200ms\"")
        let daemon = try await scratch.serve()
        let running = try TestHTTPClient(port: daemon.port)
        running.send("POST /v1/echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
        #expect(await running.receive(takesInterim: true).status == 100)
        #expect(await daemon.terminate() == 0)
        #expect(await running.receiveEnd())
    }

    @Test func aHangupReadsTheConfigurationAgain() async throws {
        let scratch = try ScratchDirectory()
        let daemon = try await scratch.serve()
        daemon.process.signal(SIGHUP)
        await until("the reload is logged") { daemon.process.errorText.contains("configuration reloaded") }
        #expect(try await daemon.operations("/readyz").status == 200)
        #expect(await daemon.terminate() == 0)
    }

    // MARK: - With a platform

    /// An evaluation of a client.
    static func evaluation(key: String, idempotencyKey: String) -> [UInt8] {
        let form = TestForm.evaluation()
        return TestHTTPClient.request(
            "POST",
            "/api/v1/evaluate",
            fields: [("Authorization", "Bearer \(key)"), ("Idempotency-Key", idempotencyKey), form.contentType],
            body: form.bytes
        )
    }

    @Test func aClaimOutlivesKill9AndIsSettledByHand() async throws {
        let platform = try ScriptedServer { connection in
            connection.readRequest()
            connection.readToEnd()
        }
        defer { platform.stop() }
        let scratch = try ScratchDirectory(yugu: #"baseURL: "\#(platform.url)""#)
        let daemon = try await scratch.serve()
        let key = try #require(
            try AdministrationTests.object(try await Self.cli(["client", "add", "app"], scratch).output)["apiKey"]
                as? String
        )
        let caller = try TestHTTPClient(port: daemon.port)
        caller.send(Self.evaluation(key: key, idempotencyKey: "lesson-4"))
        await until("the platform is asked") { platform.requests.count == 1 }
        let running = try await Self.cli(["claims", "list"], scratch)
        #expect(running.output.contains(#""key":"lesson-4","client":"app","user":null,"operation":"#))
        #expect(running.output.contains(#""state":"running""#))
        let settle = ["claims", "settle", "lesson-4", "--client", "app", "--not-billed"]
        let early = try await Self.cli(settle, scratch)
        #expect(early.exitCode == 75)
        #expect(early.errors.contains("a call with this key is running; settle it when it has ended"))
        daemon.process.signal(SIGKILL)
        #expect(await daemon.process.wait() == 128 + SIGKILL)

        let next = try await scratch.serve()
        let list = try await Self.cli(["claims", "list"], scratch)
        #expect(list.output.contains(#""state":"unknown""#))
        let metrics = try await next.operations("/metrics").text
        #expect(metrics.contains("speechgate_claims{state=\"sent\"} 1\n"))
        let settled = try await Self.cli(settle, scratch)
        #expect(settled.exitCode == 0, "\(settled.errors)")
        #expect(try await Self.cli(["claims", "list"], scratch).output.isEmpty)
        #expect(await next.terminate() == 0)
    }

    @Test func aRefusedAccountMakesItNotReady() async throws {
        let body = #"{"code":2010,"message":"unknown key"}"#
        let platform = try ScriptedServer { connection in
            while connection.readRequest() != nil {
                connection.answer(body, status: "401 Unauthorized", fields: "Content-Type: application/json\r\n")
            }
        }
        defer { platform.stop() }
        let scratch = try ScratchDirectory(yugu: #"baseURL: "\#(platform.url)""#)
        let daemon = try await scratch.serve()
        let key = try #require(
            try AdministrationTests.object(try await Self.cli(["client", "add", "app"], scratch).output)["apiKey"]
                as? String
        )
        let caller = try TestHTTPClient(port: daemon.port)
        caller.send(Self.evaluation(key: key, idempotencyKey: "k"))
        #expect(await caller.receive().status == 502)
        let ready = try await daemon.operations("/readyz")
        #expect(ready.status == 503)
        let accounts = #"[{"name":"main","kind":"production","state":"refused"}]"#
        #expect(ready.text == #"{"ready":false,"reasons":["accounts"],"accounts":\#(accounts)}"# + "\n")
        for secret in ["hunter2", "app-key-1", key, "0123456789abcdef0123"] {
            #expect(!daemon.process.errorText.contains(secret))
        }
        #expect(await daemon.terminate() == 0)
    }
}
