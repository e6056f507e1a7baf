import Foundation
import TestSupport
import Testing

/// A proxy with its sample configuration, whose addresses and files are changed to the test's, in front of a gateway.
struct FrontProxy {
    /// The proxies that there is a sample for.
    enum Kind: CaseIterable {
        case nginx, caddy

        var sample: String {
            switch self {
            case .nginx: "nginx.conf"
            case .caddy: "Caddyfile"
            }
        }

        var program: URL {
            switch self {
            case .nginx: URL(fileURLWithPath: "/usr/sbin/nginx")
            case .caddy: URL(fileURLWithPath: "/usr/bin/caddy")
            }
        }

        /// Those to try: what is not installed is tried all the same where nothing may be left out.
        static var expected: [Kind] {
            Self.allCases.filter {
                SharedMaterial.isRequired || FileManager.default.isExecutableFile(atPath: $0.program.path)
            }
        }
    }

    private static let host = "speech.example.org"
    private static let samples = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("config/proxies")

    let bed: TestBed
    private let port: ReservedPort
    private let process: ChildProcess

    init(_ kind: Kind) async throws {
        var settings = TestBed.Settings()
        settings.gateway["trustedProxies"] = #"["127.0.0.1"]"#
        self.bed = try await TestBed(settings)
        self.port = try ReservedPort()
        let folder = self.bed.folder.path
        let made = try await ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/openssl"),
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=\(Self.host)", "-addext", "subjectAltName=DNS:\(Self.host)",
                "-keyout", folder + "/private.key", "-out", folder + "/fullchain.pem",
            ]
        )
        #expect(made.status == 0, "\(made.output)")
        let sample = try String(contentsOf: Self.samples.appendingPathComponent(kind.sample), encoding: .utf8)
        let arguments: [String]
        switch kind {
        case .nginx:
            arguments = try Self.nginx(sample, port: self.port.number, gateway: self.bed.port, folder: folder)
        case .caddy:
            arguments = try Self.caddy(sample, port: self.port.number, gateway: self.bed.port, folder: folder)
        }
        // Caddy keeps things in its user's folders.
        self.process = try ChildProcess(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["HOME=\(folder)", "XDG_DATA_HOME=\(folder)", "XDG_CONFIG_HOME=\(folder)", kind.program.path] + arguments,
            log: self.bed.folder.appendingPathComponent("proxy.log")
        )
        for _ in 0..<250 where try await self.curl([], "/").hasSuffix("\n000") {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func nginx(_ sample: String, port: UInt16, gateway: UInt16, folder: String) throws -> [String] {
        let site = try Self.adapted(
            sample,
            [
                ("listen 443 ssl http2;", "listen 127.0.0.1:\(port) ssl http2;"),
                ("    listen [::]:443 ssl http2;\n", ""), ("127.0.0.1:8790;", "127.0.0.1:\(gateway);"),
                ("/etc/ssl/speechgate/", folder + "/"), ("/var/log/nginx/speechgate.log", folder + "/access.log"),
                ("/var/log/nginx/speechgate-error.log", folder + "/error.log"),
            ]
        )
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
        try Data(main.utf8).write(to: URL(fileURLWithPath: folder + "/nginx.conf"))
        return ["-c", folder + "/nginx.conf", "-e", folder + "/nginx.log"]
    }

    private static func caddy(_ sample: String, port: UInt16, gateway: UInt16, folder: String) throws -> [String] {
        let site = try Self.adapted(
            sample,
            [
                // No second listener, neither for its administration nor for http.
                ("{\n\t# What Caddy says", "{\n\tadmin off\n\tauto_https disable_redirects\n\t# What Caddy says"),
                (
                    "\(Self.host) {",
                    "\(Self.host):\(port) {\n\tbind 127.0.0.1\n\ttls \(folder)/fullchain.pem \(folder)/private.key\n"
                ),
                ("reverse_proxy 127.0.0.1:8790 {", "reverse_proxy 127.0.0.1:\(gateway) {"),
                ("/var/log/caddy/speechgate.log", folder + "/access.log"),
            ]
        )
        try Data(site.utf8).write(to: URL(fileURLWithPath: folder + "/Caddyfile"))
        return ["run", "--adapter", "caddyfile", "--config", folder + "/Caddyfile"]
    }

    private static func adapted(_ sample: String, _ changes: [(String, String)]) throws -> String {
        try changes.reduce(sample) { text, change in
            try #require(text.contains(change.0), "the sample has no \(change.0)")
            return text.replacingOccurrences(of: change.0, with: change.1)
        }
    }

    /// Fetches a path.
    ///
    /// - Returns: The content, and the status in a line of its own.
    func curl(_ options: [String], _ path: String) async throws -> String {
        let name = "\(Self.host):\(self.port.number)"
        let fetched = try await ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/curl"),
            [
                "-sS", "--max-time", "60", "--cacert", self.bed.folder.path + "/fullchain.pem", "--connect-to",
                "\(name):127.0.0.1:\(self.port.number)",
                "-w", #"\n%{http_code}"#,
            ] + options + ["https://\(name)\(path)"],
            log: self.bed.folder.appendingPathComponent("curl.log")
        )
        return fetched.output
    }

    /// Realtime sessions through the proxy.
    func realtime(_ credentials: RealtimeClient.Credentials? = nil) -> RealtimeClient {
        RealtimeClient(
            port: self.port.number,
            tls: RealtimeClient.TLS(host: Self.host, authorityFile: self.bed.folder.path + "/fullchain.pem"),
            credentials ?? .bearer(self.bed.apiKey)
        )
    }

    func file(_ name: String, _ content: [UInt8]) throws -> String {
        let file = self.bed.folder.appendingPathComponent(name)
        try Data(content).write(to: file)
        return file.path
    }

    /// All that the proxy has logged.
    func logs() -> String {
        ["access.log", "error.log", "nginx.log", "proxy.log"].reduce(into: "") { text, name in
            text += (try? String(contentsOf: self.bed.folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
        }
    }

    func stop(keepingFiles: Bool = false) async {
        self.process.signal(SIGTERM)
        await self.process.wait()
        await self.bed.stop(keepingFiles: keepingFiles)
    }
}
