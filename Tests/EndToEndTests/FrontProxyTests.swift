import Foundation
import TestSupport
import Testing

/// The sample configuration for nginx, run by a real nginx in front of the gateway, asked by curl.
@Suite struct FrontProxyTests {
    @Test func nginxServesItAndTellsWhoAsks() async throws {
        let proxy = try await Proxy()
        let evaluation = try await proxy.curl(
            [
                "-H", "Authorization: Bearer \(proxy.bed.apiKey)", "-H", "Idempotency-Key: a",
                "-F",
                #"config={"coreType":"sentence","referenceText":"hello","language":"en-US"};type=application/json"#,
                "-F", "audio=@\(try proxy.file("speech.wav", TestAudio.wav()));type=audio/wav",
            ],
            "/api/v1/evaluate"
        )
        #expect(evaluation.hasSuffix("\n200"), "\(evaluation)")
        #expect(try await proxy.bed.billed() == 1)

        // A key for one address: who comes from it gets in, who only says so does not.
        let added = try await proxy.bed.speechgate("client", "add", "near", "--addresses", "127.0.0.2")
        let near = "Authorization: Bearer " + (JSONText.member("apiKey", of: Array(added.output.utf8)) ?? "")
        let own = try await proxy.curl(["--interface", "127.0.0.2", "-H", near], "/v1/whoami")
        #expect(own.hasSuffix("\n200"), "\(own)")
        let claimed = try await proxy.curl(
            ["--interface", "127.0.0.3", "-H", near, "-H", "X-Forwarded-For: 127.0.0.2"],
            "/v1/whoami"
        )
        #expect(claimed.hasSuffix("\n403"), "\(claimed)")
        await proxy.stop()
    }

    @Test func whatIsTooLargeIsRefusedInTheGatewaysWords() async throws {
        let proxy = try await Proxy()
        let large = try proxy.file("large.wav", [UInt8](repeating: 0, count: 52 << 20))
        let refused = try await proxy.curl(
            ["-H", "Authorization: Bearer \(proxy.bed.apiKey)", "-F", "config={}", "-F", "audio=@\(large)"],
            "/api/v1/evaluate"
        )
        #expect(refused.hasSuffix("\n413") && refused.contains(#""code":"#), "\(refused)")
        #expect(try await proxy.bed.billed() == 0)
        await proxy.stop()
    }

    @Test func noQueryStandsInItsLogs() async throws {
        let proxy = try await Proxy()
        _ = try await proxy.curl([], "/v1/records?token=the-token-of-an-app")
        // With the gateway gone nginx has something to complain about.
        proxy.bed.gateway.signal(SIGTERM)
        await proxy.bed.gateway.wait()
        let failed = try await proxy.curl([], "/v1/records?token=the-token-of-an-app")
        #expect(failed.hasSuffix("\n502"))
        await proxy.stop(keepingFiles: true)
        var logs = ""
        for name in ["access.log", "error.log", "nginx.log"] {
            logs += (try? String(contentsOf: proxy.bed.folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
        }
        #expect(logs.contains("\"GET /v1/records\" 401") && logs.contains("\"GET /v1/records\" 502"), "\(logs)")
        #expect(!logs.contains("the-token-of-an-app"), "\(logs)")
        proxy.bed.removeFiles()
    }
}

/// nginx with the sample configuration, its addresses and files changed to the test's.
private struct Proxy {
    private static let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("config/proxies/nginx.conf")

    let bed: TestBed
    private let port: ReservedPort
    private let process: ChildProcess

    init() async throws {
        var settings = TestBed.Settings()
        settings.gateway["trustedProxies"] = #"["127.0.0.1"]"#
        self.bed = try await TestBed(settings)
        self.port = try ReservedPort()
        let folder = self.bed.folder.path
        let made = try await ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/openssl"),
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=speech.example.org", "-addext", "subjectAltName=DNS:speech.example.org",
                "-keyout", folder + "/private.key", "-out", folder + "/fullchain.pem",
            ]
        )
        #expect(made.status == 0, "\(made.output)")
        var site = try String(contentsOf: Self.sample, encoding: .utf8)
        for (old, new) in [
            ("listen 443 ssl http2;", "listen 127.0.0.1:\(self.port.number) ssl http2;"),
            ("    listen [::]:443 ssl http2;\n", ""), ("127.0.0.1:8790;", "127.0.0.1:\(self.bed.port);"),
            ("/etc/ssl/speechgate/", folder + "/"), ("/var/log/nginx/speechgate.log", folder + "/access.log"),
            ("/var/log/nginx/speechgate-error.log", folder + "/error.log"),
        ] {
            #expect(site.contains(old), "the sample has no \(old)")
            site = site.replacingOccurrences(of: old, with: new)
        }
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: "\n")
        let main = """
            daemon off;
            user root;
            worker_processes 1;
            pid \(folder)/nginx.pid;
            events {}
            http {
            \(paths)
            \(site)
            }
            """
        try Data(main.utf8).write(to: self.bed.folder.appendingPathComponent("nginx.conf"))
        self.process = try ChildProcess(
            URL(fileURLWithPath: "/usr/sbin/nginx"),
            ["-c", folder + "/nginx.conf", "-e", folder + "/nginx.log"],
            log: self.bed.folder.appendingPathComponent("nginx.log")
        )
        for _ in 0..<250 where try await self.curl([], "/").hasSuffix("\n000") {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Fetches a path.
    ///
    /// - Returns: The content, and the status in a line of its own.
    func curl(_ options: [String], _ path: String) async throws -> String {
        let name = "speech.example.org:\(self.port.number)"
        let fetched = try await ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/curl"),
            [
                "-sS", "--cacert", self.bed.folder.path + "/fullchain.pem", "--connect-to",
                "\(name):127.0.0.1:\(self.port.number)",
                "-w", #"\n%{http_code}"#,
            ] + options + ["https://\(name)\(path)"],
            log: self.bed.folder.appendingPathComponent("curl.log")
        )
        return fetched.output
    }

    func file(_ name: String, _ content: [UInt8]) throws -> String {
        let file = self.bed.folder.appendingPathComponent(name)
        try Data(content).write(to: file)
        return file.path
    }

    func stop(keepingFiles: Bool = false) async {
        self.process.signal(SIGTERM)
        await self.process.wait()
        await self.bed.stop(keepingFiles: keepingFiles)
    }
}
