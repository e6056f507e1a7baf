import Foundation
import TestSupport
import Testing

extension TestBed {
    /// What the simulator has billed.
    struct Bills: Decodable {
        struct Record: Decodable {
            let recordId: String
            let key: String?
            let audioSha256: String
            let audioBytes: Int
        }
        struct Sessions: Decodable {
            let opened: Int
            let open: Int
        }
        let billed: Int
        let byKey: [String: Int]
        let records: [Record]
        let sessions: Sessions
    }

    /// The gateway's realtime side, for a client with an API key.
    func realtime(_ path: String = "/api/v1/ws/evaluate") -> RealtimeClient {
        RealtimeClient(port: self.port, path: path, .bearer(self.apiKey))
    }

    /// What the simulator has billed, in full.
    func bills() async throws -> Bills {
        let response = try await TestHTTPClient.exchange(
            port: self.simulatorPort,
            "GET",
            "/__sim/billing"
        )
        return try JSONDecoder().decode(Bills.self, from: Data(response.body))
    }

    /// Waits until no session is open at the simulator any more.
    func untilSessionsEnd() async throws {
        try await until("no session is open at the platform") { try await self.bills().sessions.open == 0 }
    }
}

extension TestBed.Settings {
    /// A gateway whose realtime waits are short.
    static func realtime(connectTimeout: String = "5s", pongTimeout: String = "5s") -> TestBed.Settings {
        var settings = TestBed.Settings()
        settings.yugu["realtime"] =
            #"""
            {
              connectTimeout: "\#(connectTimeout)", pingInterval: "200ms", pongTimeout: "\#(pongTimeout)",
              reconnect: { initialDelay: "20ms", maximumDelay: "200ms" },
            }
            """#
        return settings
    }
}

/// Rounds as a client speaks them.
enum Round {
    static func start(_ key: String? = nil, progress: Bool = false) -> String {
        let members = [
            #""cmd":"start""#, #""coreType":"sentence""#, #""referenceText":"今天天气很好""#,
            #""language":"zh-CN""#,
            progress ? #""realtimeFeedback":true"# : nil, key.map { #""idempotencyKey":"\#($0)""# },
        ]
        return "{" + members.compactMap(\.self).joined(separator: ",") + "}"
    }

    static func parameters(_ key: String? = nil, progress: Bool = false) -> String {
        let members = [
            #""refText":"今天天气很好""#, progress ? #""realtime_feedback":true"# : nil,
            key.map { #""idempotencyKey":"\#($0)""# },
        ]
        return "{" + members.compactMap(\.self).joined(separator: ",") + "}"
    }

    static let end = RealtimeClient.Step.send(#"{"cmd":"end"}"#)

    /// A native round of 3 s from the parameters to the outcome.
    ///
    /// - Parameters:
    ///   - pace: 1 is real time; 0, the default, as fast as it goes.
    ///   - hasEnd: Whether the end is sent.
    static func native(
        _ key: String? = nil,
        seed: Int = 1,
        progress: Bool = false,
        pace: Double = 0,
        hasEnd: Bool = true
    ) -> [RealtimeClient.Step] {
        [
            .send(self.start(key, progress: progress)), .await("started"),
            .audio(seconds: 3, seed: seed, pace: pace),
        ] + (hasEnd ? [self.end] : []) + [.await("outcome")]
    }

    /// A compat round of 3 s from the parameters to the outcome.
    static func compat(
        _ key: String? = nil,
        seed: Int = 1,
        progress: Bool = false,
        pace: Double = 0
    ) -> [RealtimeClient.Step] {
        [
            .send(self.parameters(key, progress: progress)), .await("started"),
            .audio(seconds: 3, seed: seed, pace: pace), self.end, .await("outcome"),
        ]
    }
}

extension RealtimeClient.Seen {
    /// States that there was one result, and nothing that contradicts it.
    func expectOneResult(_ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation) {
        #expect(self.results.count == 1, comment, sourceLocation: location)
        #expect(self.errors.isEmpty, comment, sourceLocation: location)
        #expect(self.failure == nil, comment, sourceLocation: location)
    }
}
