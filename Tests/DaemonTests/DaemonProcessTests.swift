import Foundation
import Testing

@testable import Daemon

/// The real program: start, signals, control socket, exit codes.
///
/// One at a time: each test blocks threads.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DaemonProcessTests {
    static func cli(
        _ words: [String],
        _ scratch: ScratchDirectory
    ) async throws -> (
        exitCode: Int32, output: String, errors: String
    ) {
        try await DaemonProcess.run(words + ["--config", scratch.configuration])
    }

    @Test func itAnnouncesItsAddressesServesAndEndsOnSIGTERM() async throws {
        let scratch = try ScratchDirectory(settings: "echo: true")
        let daemon = try DaemonProcess(scratch, ["--ready-file", scratch.file("ready")])
        #expect(
            daemon.line == #"{"gateway":"http://127.0.0.1:\#(daemon.gatewayPort)","#
                + #""ops":"http://127.0.0.1:\#(daemon.operationsPort)"}"# + "\n"
        )
        #expect(try String(contentsOfFile: scratch.file("ready"), encoding: .utf8) == daemon.line)
        #expect(try await Connection.get(port: daemon.gatewayPort, "/v1/echo").status == 200)

        let health = try await Connection.get(port: daemon.operationsPort, "/healthz")
        #expect(health.status == 200)
        let ready = try await Connection.get(port: daemon.operationsPort, "/readyz")
        #expect(ready.status == 200)
        #expect(ready.body == #"{"ready":true,"reasons":[]}"# + "\n")
        let version = try await Connection.get(port: daemon.operationsPort, "/version")
        #expect(version.body.wholeMatch(of: /\{"version":"[0-9.]+"\}\n/) != nil)
        let metrics = try await Connection.get(port: daemon.operationsPort, "/metrics").body
        #expect(metrics.contains("speechgate_claims{state=\"sent\"} 0\n"))
        #expect(metrics.contains("speechgate_http_requests_total{route=\"/v1/echo\",class=\"2xx\"} 1\n"))
        #expect(metrics.contains("speechgate_connections_accepted_total 1\n"))
        #expect(try await Connection.get(port: daemon.operationsPort, "/").status == 404)
        let post = try await Connection.exchange(
            port: daemon.operationsPort,
            "POST /healthz HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
        #expect(post.status == 405)
        #expect(post.head.contains("\r\nAllow: GET, HEAD"))
        #expect(try await Connection.get(port: daemon.gatewayPort, "/metrics").status == 404, "operations stay apart")

        daemon.signal(SIGTERM)
        #expect(await daemon.exitCode() == 0)
        let messages = daemon.log.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["message"] as? String
        }
        #expect(messages.contains("ready"))
        #expect(messages.suffix(3) == ["draining", "drained", "stopped"])
        #expect(!FileManager.default.fileExists(atPath: scratch.file("state/control.sock")))
    }

    @Test func aClientIsKnownAtOnceAndUnknownAtOnce() async throws {
        let scratch = try ScratchDirectory()
        let daemon = try DaemonProcess(scratch)
        let added = try await Self.cli(["client", "add", "app"], scratch)
        #expect(added.exitCode == 0, "\(added.errors)")
        let key = try #require(try AdministrationTests.object(added.output)["apiKey"] as? String)
        let bearer = "Authorization: Bearer \(key)\r\n"
        // 404 is what a known client hears about a key that was never used.
        #expect(try await Connection.get(port: daemon.gatewayPort, "/v1/keys/k", fields: bearer).status == 404)

        let list = try await Self.cli(["client", "list"], scratch)
        #expect(list.output.contains(#""client":"app""#))
        #expect(try await Self.cli(["client", "add", "app"], scratch).exitCode == 73)
        #expect(try await Self.cli(["client", "revoke", "other"], scratch).exitCode == 67)
        let revoked = try await Self.cli(["client", "revoke", "app"], scratch)
        #expect(revoked.exitCode == 0)
        #expect(try await Connection.get(port: daemon.gatewayPort, "/v1/keys/k", fields: bearer).status == 401)
        #expect(!daemon.log.contains(key), "keys are never logged")
        daemon.signal(SIGTERM)
        #expect(await daemon.exitCode() == 0)
    }

    @Test func theControlSocketBelongsToItsUserAlone() async throws {
        let scratch = try ScratchDirectory()
        let daemon = try DaemonProcess(scratch)
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file("state/control.sock"))
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let folder = try FileManager.default.attributesOfItem(atPath: scratch.file("state"))
        #expect((folder[.posixPermissions] as? NSNumber)?.intValue == 0o700)
        daemon.signal(SIGTERM)
        #expect(await daemon.exitCode() == 0)
    }

    @Test func aSecondDaemonOnOneStateDirectoryIs75() async throws {
        let scratch = try ScratchDirectory()
        let daemon = try DaemonProcess(scratch)
        let second = try await Self.cli(["serve"], scratch)
        #expect(second.exitCode == 75)
        #expect(second.output.isEmpty)
        #expect(second.errors.hasPrefix("speechgate: another speechgate (pid "))
        #expect(second.errors.split(separator: "\n").count == 1)
        #expect(try await Connection.get(port: daemon.operationsPort, "/healthz").status == 200)
        daemon.signal(SIGTERM)
        #expect(await daemon.exitCode() == 0)
    }

    @Test func aPortInUseIs69AndNothingStaysBehind() async throws {
        let scratch = try ScratchDirectory()
        let daemon = try DaemonProcess(scratch)
        let other = try ScratchDirectory()
        for option in ["127.0.0.1:\(daemon.gatewayPort)", "127.0.0.1:\(daemon.operationsPort)"] {
            let second = try await Self.cli(["serve", "--listen", option], other)
            #expect(second.exitCode == 69)
            #expect(second.errors.contains("speechgate: cannot listen on \(option): it is in use"))
        }
        #expect(!FileManager.default.fileExists(atPath: other.file("state/control.sock")))
        // The state directory is free again.
        #expect(try await Self.cli(["client", "list"], other).exitCode == 0)
        daemon.signal(SIGTERM)
        #expect(await daemon.exitCode() == 0)
    }

    @Test func anAddressThatDoesNotExistIs69() async throws {
        let scratch = try ScratchDirectory()
        let run = try await Self.cli(["serve", "--listen", "192.0.2.1:8790"], scratch)
        #expect(run.exitCode == 69)
        #expect(run.errors.contains("cannot listen on 192.0.2.1:8790: this machine has no such address"))
    }

    @Test func usageAndConfigurationFaultsHaveTheirCodes() async throws {
        let scratch = try ScratchDirectory(settings: "lisen: 1")
        #expect(try await DaemonProcess.run([]).exitCode == 64)
        #expect(try await DaemonProcess.run(["serve", "--nonsense"]).exitCode == 64)
        let run = try await Self.cli(["serve"], scratch)
        #expect(run.exitCode == 78)
        #expect(
            run.errors == #"speechgate: \#(scratch.configuration):lisen: unknown key; did you mean "listen"? (line 5)"#
                + "\n"
        )
        #expect(try await Self.cli(["check"], scratch).exitCode == 78)
        #expect(try await DaemonProcess.run(["--version"]).exitCode == 0)
    }

    @Test func aCallThatRunsAtSIGTERMIsFinished() async throws {
        let scratch = try ScratchDirectory(settings: "echo: true")
        let daemon = try DaemonProcess(scratch)
        let idle = try Connection(port: daemon.gatewayPort)
        idle.send("GET /v1/echo HTTP/1.1\r\nHost: t\r\n\r\n")
        #expect(idle.receive().status == 200)
        let running = try Connection(port: daemon.gatewayPort)
        running.send("POST /v1/echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
        #expect(running.receive().status == 100, "the call runs")
        daemon.signal(SIGTERM)
        #expect(idle.receive().status == nil, "an idle connection is closed")
        let ready = try await Connection.get(port: daemon.operationsPort, "/readyz")
        #expect(ready.status == 503)
        #expect(ready.body == #"{"ready":false,"reasons":["draining"]}"# + "\n")
        #expect(throws: Connection.Refused.self) { try Connection(port: daemon.gatewayPort) }
        running.send("0123456789")
        let answer = running.receive()
        #expect(answer.status == 200)
        #expect(answer.head.lowercased().contains("connection: close"))
        #expect(await daemon.exitCode() == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func theSecondSignalEndsAtOnce(second: Int32) async throws {
        let scratch = try ScratchDirectory(settings: "echo: true, drain: \"10m\"")
        let daemon = try DaemonProcess(scratch)
        let running = try Connection(port: daemon.gatewayPort)
        running.send("POST /v1/echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
        #expect(running.receive().status == 100)
        daemon.signal(SIGINT)
        while try await Connection.get(port: daemon.operationsPort, "/readyz").status != 503 {}
        daemon.signal(second)
        #expect(running.receive().status == nil)
        #expect(await daemon.exitCode() == 0)
        #expect(daemon.log.contains("stopping at once"))
    }

    @Test func drainingEndsWithItsTime() async throws {
        let scratch = try ScratchDirectory(settings: "echo: true, drain: \"200ms\"")
        let daemon = try DaemonProcess(scratch)
        let running = try Connection(port: daemon.gatewayPort)
        running.send("POST /v1/echo HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
        #expect(running.receive().status == 100)
        daemon.signal(SIGTERM)
        #expect(await daemon.exitCode() == 0)
        #expect(running.receive().status == nil)
    }

    @Test func aHangupChangesNothing() async throws {
        let scratch = try ScratchDirectory()
        let daemon = try DaemonProcess(scratch)
        daemon.signal(SIGHUP)
        while !daemon.log.contains("SIGHUP is ignored") { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try await Connection.get(port: daemon.operationsPort, "/readyz").status == 200)
        daemon.signal(SIGTERM)
        #expect(await daemon.exitCode() == 0)
    }

    // MARK: - With a platform

    /// An evaluation of a client, up to the last byte.
    static func evaluation(key: String, idempotencyKey: String) -> String {
        let body = [
            "--b\r\nContent-Disposition: form-data; name=\"config\"\r\n\r\n",
            #"{"coreType":"word","referenceText":"hello"}"#,
            "\r\n--b\r\nContent-Disposition: form-data; name=\"audio\"; filename=\"a.wav\"\r\n",
            "Content-Type: audio/wav\r\n\r\nRIFFdata\r\n--b--\r\n",
        ].joined()
        return "POST /api/v1/evaluate HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(key)\r\n"
            + "Idempotency-Key: \(idempotencyKey)\r\nContent-Type: multipart/form-data; boundary=b\r\n"
            + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    @Test func aClaimOutlivesKill9AndIsSettledByHand() async throws {
        let platform = try StubPlatform(answer: nil)
        defer { platform.stop() }
        let scratch = try ScratchDirectory(yugu: #"baseURL: "http://127.0.0.1:\#(platform.port)""#)
        let daemon = try DaemonProcess(scratch)
        let key = try #require(
            try AdministrationTests.object(try await Self.cli(["client", "add", "app"], scratch).output)["apiKey"]
                as? String
        )
        let caller = try Connection(port: daemon.gatewayPort)
        caller.send(Self.evaluation(key: key, idempotencyKey: "lesson-4"))
        try await platform.waitForRequest()
        let running = try await Self.cli(["claims", "list"], scratch)
        #expect(running.output.contains(#""key":"lesson-4","client":"app","user":null,"operation":"#))
        #expect(running.output.contains(#""state":"running""#))
        let settle = ["claims", "settle", "lesson-4", "--client", "app", "--not-billed"]
        let early = try await Self.cli(settle, scratch)
        #expect(early.exitCode == 75)
        #expect(early.errors.contains("a call with this key is running; settle it when it has ended"))
        daemon.signal(SIGKILL)
        #expect(await daemon.exitCode() == -SIGKILL)

        let next = try DaemonProcess(scratch)
        let list = try await Self.cli(["claims", "list"], scratch)
        #expect(list.output.contains(#""state":"unknown""#))
        let metrics = try await Connection.get(port: next.operationsPort, "/metrics").body
        #expect(metrics.contains("speechgate_claims{state=\"sent\"} 1\n"))
        let settled = try await Self.cli(settle, scratch)
        #expect(settled.exitCode == 0, "\(settled.errors)")
        #expect(try await Self.cli(["claims", "list"], scratch).output.isEmpty)
        next.signal(SIGTERM)
        #expect(await next.exitCode() == 0)
    }

    @Test func aRefusedAccountMakesItNotReady() async throws {
        let body = #"{"code":2010,"message":"unknown key"}"#
        let platform = try StubPlatform(
            answer: "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        defer { platform.stop() }
        let scratch = try ScratchDirectory(yugu: #"baseURL: "http://127.0.0.1:\#(platform.port)""#)
        let daemon = try DaemonProcess(scratch)
        let key = try #require(
            try AdministrationTests.object(try await Self.cli(["client", "add", "app"], scratch).output)["apiKey"]
                as? String
        )
        let answer = try await Connection.exchange(
            port: daemon.gatewayPort,
            Self.evaluation(key: key, idempotencyKey: "k")
        )
        #expect(answer.status == 502)
        let ready = try await Connection.get(port: daemon.operationsPort, "/readyz")
        #expect(ready.status == 503)
        #expect(ready.body == #"{"ready":false,"reasons":["accounts"]}"# + "\n")
        for secret in ["hunter2", "app-key-1", key, "0123456789abcdef0123"] {
            #expect(!daemon.log.contains(secret))
        }
        daemon.signal(SIGTERM)
        #expect(await daemon.exitCode() == 0)
    }
}
