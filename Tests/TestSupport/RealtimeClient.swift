internal import Foundation

/// Realtime sessions with a WebSocket client that nobody here wrote: `Tests/RealtimeClient/client.py`, over Python's
/// `websockets` from PyPI.
public struct RealtimeClient: Sendable {
    /// How a session proves who it is from.
    public enum Credentials: Sendable {
        /// Signs the query of the handshake.
        case signed(appKey: String, secretKey: String)
        /// Sends a token in the query.
        case token(String)
        /// Sends an API key in `Authorization`.
        case bearer(String)
    }

    /// How a session is encrypted.
    public struct TLS: Sendable {
        /// The name that the certificate is for.
        let host: String
        /// A PEM file with the one authority that is trusted.
        let authorityFile: String

        /// Takes the parts.
        public init(host: String, authorityFile: String) {
            self.host = host
            self.authorityFile = authorityFile
        }
    }

    /// What a session does, one after the other; `client.py` explains them.
    public enum Step: Sendable {
        /// A text frame.
        case send(String)
        /// A made-up recording, or the bytes of it from an offset up to another.
        case audio(
            seconds: Double,
            seed: Int = 0,
            from: Int = 0,
            to: Int? = nil,
            frame: Int = 640,
            pace: Double = 0,
            asText: Bool = false
        )
        /// One binary frame of zeros.
        case binary(Int)
        /// Waits for a frame: `connected`, `started`, `pong`, `progress`, `result`, `error`, `close`, or `outcome` for any
        /// of the last three.
        case await(String, within: Double = 60)
        case ping
        case sleep(Double)
        case close(Int)
        /// Resets the connection.
        case kill

        var object: [String: Any] {
            switch self {
            case .send(let json): ["do": "text", "text": json]
            case .audio(let seconds, let seed, let from, let to, let frame, let pace, let asText):
                [
                    "do": "audio", "seconds": seconds, "seed": seed, "from": from, "to": to ?? Int.max, "frame": frame,
                    "pace": pace, "base64": asText,
                ]
            case .binary(let size): ["do": "binary", "size": size]
            case .await(let what, let within): ["do": "await", "what": what, "within": within]
            case .ping: ["do": "ping"]
            case .sleep(let seconds): ["do": "sleep", "seconds": seconds]
            case .close(let code): ["do": "close", "code": code]
            case .kill: ["do": "kill"]
            }
        }
    }

    /// One session of several that run side by side.
    public struct Session: Sendable {
        /// What it does, one after the other.
        public var steps: [Step]
        /// Parameters of the handshake's query.
        public var query: [String: String]
        /// Fields of the handshake.
        public var headers: [String: String] = [:]
        /// Where the handshake goes, if not where the others' go.
        public var path: String?
        /// How many seconds it begins later.
        public var after = 0.0
        /// How many seconds it takes for each frame that it reads.
        public var readDelay = 0.0

        /// Takes the parts.
        public init(_ steps: [Step], query: [String: String] = [:], path: String? = nil) {
            self.steps = steps
            self.query = query
            self.path = path
        }
    }

    /// Whether tests with it run: it is installed, or has to be.
    public static var isExpected: Bool { Self.isInstalled || SharedMaterial.isRequired }

    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let modules = Self.package.appendingPathComponent(".build/python")
    private static let isInstalled = FileManager.default.fileExists(
        atPath: Self.modules.appendingPathComponent("websockets").path
    )

    private let port: UInt16
    private let path: String
    private let tls: TLS?
    private let credentials: Credentials

    /// Takes where sessions go.
    ///
    /// - Parameter tls: Nil for none.
    public init(port: UInt16, path: String = "/api/v1/ws/evaluate", tls: TLS? = nil, _ credentials: Credentials) {
        self.port = port
        self.path = path
        self.tls = tls
        self.credentials = credentials
    }

    /// Runs sessions side by side to their ends; what they saw, in their order.
    public func run(sessions: [Session]) async throws -> [Seen] {
        guard Self.isInstalled else {
            throw ChildProcess.Failure(description: "Python's websockets is missing; run scripts/setup.sh --tests")
        }
        var plan: [String: Any] = ["url": "ws://127.0.0.1:\(self.port)", "path": self.path]
        if let tls {
            plan["url"] = "wss://\(tls.host):\(self.port)"
            plan["authorityFile"] = tls.authorityFile
        }
        switch self.credentials {
        case .signed(let appKey, let secretKey): plan["sign"] = ["appKey": appKey, "secretKey": secretKey]
        case .token(let token): plan["token"] = token
        case .bearer(let key): plan["bearer"] = key
        }
        plan["sessions"] = sessions.map { session in
            var object: [String: Any] = [
                "steps": session.steps.map(\.object), "query": session.query, "after": session.after,
                "readDelay": session.readDelay, "headers": session.headers,
            ]
            object["path"] = session.path
            return object
        }
        let input = try JSONSerialization.data(withJSONObject: plan)
        let program = Self.package.appendingPathComponent("Tests/RealtimeClient/client.py").path
        let log = FileManager.default.temporaryDirectory.appendingPathComponent("realtime-\(UUID().uuidString).log")
        defer { try? FileManager.default.removeItem(at: log) }
        let (status, output) = try await ChildProcess.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["PYTHONPATH=\(Self.modules.path)", "PYTHONDONTWRITEBYTECODE=1", "python3", program],
            log: log,
            input: Array(input)
        )
        guard status == 0 else {
            let errors = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            throw ChildProcess.Failure(description: "client.py ended with \(status): \(errors)")
        }
        return try JSONDecoder().decode([Seen].self, from: Data(output.utf8))
    }

    /// Runs one session.
    public func run(_ steps: [Step], query: [String: String] = [:]) async throws -> Seen {
        try await self.run(sessions: [Session(steps, query: query)])[0]
    }
}
