import Cryptography
import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

/// Realtime sessions of the simulator, driven by a client that nobody here wrote (contract yugu, section 10).
@Suite(.enabled(if: RealtimeClient.isExpected, "run scripts/setup.sh --tests"))
struct RealtimeOverSocketTests {
    static let start =
        #"{"cmd":"start","coreType":"sentence","referenceText":"今天天气很好","language":"zh-CN","idempotencyKey":"k"}"#
    static let end = #"{"cmd":"end"}"#

    static func round(_ start: String = Self.start, seed: Int = 1) -> [RealtimeClient.Step] {
        [
            .await("connected"), .send(start), .await("started"), .audio(seconds: 2.4, seed: seed), .send(Self.end),
            .await("outcome"),
        ]
    }

    static func client(
        _ platform: SimulatedPlatform,
        _ path: String = "/api/v1/ws/evaluate",
        _ credentials: RealtimeClient.Credentials? = nil
    ) throws -> RealtimeClient {
        let port = try #require(platform.address.split(separator: ":").last.flatMap { UInt16($0) })
        let own = RealtimeClient.Credentials.signed(
            appKey: platform.account.appKey,
            secretKey: platform.account.secretKey
        )
        return RealtimeClient(port: port, path: path, credentials ?? own)
    }

    // MARK: Rounds

    @Test func aNativeSessionIsScoredBilledAndReplayed() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let client = try Self.client(platform)
            let seen = try await client.run(Self.round())
            #expect(seen.kinds == ["connected", "started", "result"] && seen.failure == nil)
            let result = try #require(seen.results.first)
            #expect(result.event == "result" && result.eof == 1 && result.replayed == nil)
            #expect(result.recordId?.hasPrefix("eval_") == true && (result.result?.overall ?? 0) > 0)
            let bill = try #require(platform.bills.first)
            #expect(bill.key == "k" && bill.recordID == result.recordId && bill.coreType == "sentence")
            #expect(bill.audioDigest == seen.audioSha256 && bill.audioBytes == seen.audioBytes)
            // In other frames, over another connection.
            let again = try await client.run([
                .send(Self.start), .await("started"), .audio(seconds: 2.4, seed: 1, frame: 5_000, asText: true),
                .send(Self.end), .await("outcome"),
            ])
            #expect(again.results.map(\.replayed) == [true] && again.results[0].recordId == result.recordId)
            let other = try await client.run(Self.round(seed: 2))
            #expect(other.errors.map(\.code) == [40_903])
            #expect(platform.billedByKey == ["k": 1])
        }
    }

    @Test func aCompatSessionSpeaksItsOwnLanguage() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let client = try Self.client(platform, "/sent.eval.cn")
            let seen = try await client.run(
                [
                    .await("connected"), .send(#"{"refText":"今天天气很好","realtime_feedback":true}"#), .await("started"),
                    .audio(seconds: 3, seed: 3), .send(#"{"end":true}"#), .await("outcome"),
                ],
                query: ["idempotencyKey": "query-key/+="]
            )
            #expect(seen.frames[0].coreType == "sent.eval.cn" && seen.frames[1].coreType == "sent.eval.cn")
            let result = try #require(seen.results.first)
            #expect(result.event == nil && result.eof == 1 && result.recordId?.hasPrefix("eval_") == true)
            #expect(seen.progress.allSatisfy { $0.recordId?.isEmpty == true && $0.result?.words != nil })
            #expect(seen.kinds.last == "result" && seen.progress.last?.readUnits == 6)
            #expect(platform.bills.map(\.key) == ["query-key/+="] && platform.bills.map(\.coreType) == ["sent.eval.cn"])
        }
    }

    @Test func severalRoundsAndPingsOverOneConnection() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let second = Self.start.replacing(#""k""#, with: #""l""#)
            let steps: [RealtimeClient.Step] =
                Self.round() + [.send(#"{"cmd":"ping"}"#), .await("pong"), .ping]
                + Self.round(second, seed: 2).dropFirst() + [.close(1000)]
            let seen = try await Self.client(platform).run(steps)
            #expect(seen.results.count == 2 && seen.failure == nil && seen.closeCode == 1000)
            #expect(platform.billedByKey == ["k": 1, "l": 1])
            await until { platform.requests.last?.session?.closedBy != nil }
            let session = try #require(platform.requests.last?.session)
            #expect(session.rounds == 2 && session.ends == 2 && session.results == 2)
            #expect(session.closedBy == .client && session.closeCode == 1000)
            #expect(session.audioBytes == seen.audioBytes)
        }
    }

    // MARK: Handshake

    @Test func handshakesAreChecked() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.bearerToken = "the-token" }) { platform in
            let path = "/api/v1/ws/evaluate"
            let token = try await Self.client(platform, path, .token("the-token")).run(Self.round())
            #expect(token.results.count == 1)
            let refused: [(RealtimeClient.Credentials, Int, Int)] = [
                (.token("another"), 401, 2002), (.signed(appKey: "nobody", secretKey: "s"), 401, 2010),
                (.signed(appKey: platform.account.appKey, secretKey: "wrong"), 401, 2003),
                (.bearer("ignored"), 401, 40_100),
            ]
            for (credentials, status, code) in refused {
                let seen = try await Self.client(platform, path, credentials).run([])
                #expect(seen.status == status && seen.body?.contains("\"code\":\(code)") == true, "\(seen)")
            }
            // Everything in the query is signed, but for the simulator's own parameter.
            let more = try await Self.client(platform).run([], query: ["z": "天", "simFault": "ws-progress:none"])
            #expect(more.status == 101)
        }
    }

    @Test func otherPathsAndPlainRequestsAreAnsweredAsEver() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            #expect(try await Self.client(platform, "/sent.eval.xx").run([]).status == 403)
            #expect(try await Self.client(platform, "/api/v2/ws").run([]).status == 404)
            let plain = Array("GET /api/v1/ws/evaluate HTTP/1.1\r\nHost: platform\r\n\r\n".utf8)
            try await exchange(plain, with: platform).expect(status: 426)
        }
    }

    @Test func aNonceIsTakenOnce() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let time = Int(Date().timeIntervalSince1970)
            let text = "appKey=\(platform.account.appKey)&nonce=n&timestamp=\(time)"
            let signature = EvaluateRequest.sign(text, platform.account.secretKey)
                .replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
            let head = [
                "GET /api/v1/ws/evaluate?\(text)&signature=\(signature) HTTP/1.1", "Host: platform",
                "Upgrade: websocket",
                "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: c3BlZWNoZ2F0ZSB0ZXN0cw==",
            ]
            let bytes = Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8)
            let first = try await exchange(bytes, with: platform)
            first.expect(status: 101)
            let second = try await exchange(bytes, with: platform)
            second.expect(status: 401)
            second.expect(code: 2003)
        }
    }

    // MARK: Keys and bills

    @Test func sessionsWithOneKeyWaitForTheFirst() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            platform.setProcessingTime(.milliseconds(400))
            let sessions = [RealtimeClient.Session](repeating: .init(Self.round()), count: 6)
            let seen = try await Self.client(platform).run(sessions: sessions)
            #expect(seen.allSatisfy { $0.results.count == 1 && $0.errors.isEmpty })
            #expect(Set(seen.compactMap { $0.results.first?.recordId }).count == 1)
            #expect(seen.count { $0.results.first?.replayed == nil } == 1)
            #expect(platform.billedByKey == ["k": 1])
        }
    }

    @Test func aWaitThatIsTooLongIsAnErrorFrame() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.runningWait = .milliseconds(50) }) { platform in
            platform.setProcessingTime(.milliseconds(4_000))
            var late = RealtimeClient.Session(Self.round())
            late.after = 1.5
            let seen = try await Self.client(platform).run(sessions: [.init(Self.round()), late])
            #expect(seen[0].results.count == 1)
            #expect(seen[1].errors.map(\.code) == [40_901])
            #expect(platform.billed == 1)
        }
    }

    @Test func whoVanishesBeforeTheEndPaysNothingAndAfterItEverything() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            platform.setProcessingTime(.milliseconds(200))
            let client = try Self.client(platform)
            _ = try await client.run(Self.round().dropLast(2) + [.sleep(0.1), .kill])
            await until { platform.requests.last?.session?.closedBy == .client }
            #expect(platform.billed == 0 && platform.requests.last?.session?.ends == 0)
            // Behind the pong, the end is no longer among what the reset throws away.
            _ = try await client.run(Self.round().dropLast() + [.ping, .kill])
            await until { platform.billed == 1 }
            let again = try await client.run(Self.round())
            #expect(again.results.map(\.replayed) == [true])
            #expect(platform.billedByKey == ["k": 1])
        }
    }

    @Test func limitsAreThoseOfTheAccount() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.dailyCalls = 1 }) { platform in
            let client = try Self.client(platform)
            #expect(try await client.run(Self.round()).results.count == 1)
            let second = try await client.run(Self.round(Self.start.replacing(#""k""#, with: #""l""#)))
            #expect(second.errors.map(\.code) == [42_903])
            // A replay is free.
            #expect(try await client.run(Self.round()).results.map(\.replayed) == [true])
        }
    }

    // MARK: Faults

    @Test(arguments: [
        ("ws-kill-open", [], 1006, 0), ("ws-kill-after:1", ["connected"], 1006, 0),
        ("ws-kill-bytes:6400", ["connected", "started"], 1006, 0), ("ws-kill-end", ["connected", "started"], 1006, 0),
        ("bill-drop", ["connected", "started"], 1006, 1), ("ws-close-end:1000", ["connected", "started"], 1000, 0),
        ("ws-close-billed:1000", ["connected", "started"], 1000, 1), ("ws-close-after:1:1008", ["connected"], 1008, 0),
        ("ws-close-after:2:4001", ["connected", "started"], 4001, 0),
        ("ws-close-bytes:32000", ["connected", "started"], 1011, 0),
    ])
    func connectionsEndAsAskedFor(fault: String, kinds: [String], code: Int, billed: Int) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            try platform.inject(fault, match: "/api/v1/ws")
            let client = try Self.client(platform)
            let seen = try await client.run(Self.round())
            #expect(seen.kinds == kinds && seen.closeCode == code)
            #expect(platform.billed == billed && platform.requests.last?.fault == fault)
            // Whoever waits for frames hears of the end, even when another task has brought it about.
            await until { platform.requests.last?.session?.closedBy == .platform }
            // The fault is used up, and the key free or answered.
            let again = try await client.run(Self.round())
            #expect(again.results.count == 1 && platform.billedByKey == ["k": 1])
        }
    }

    @Test(arguments: [("ws-error:42901", 42_901), ("ws-error:none", nil), ("ws-error", 50_200)])
    func errorsComeInPlaceOfTheResult(fault: String, code: Int?) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let seen = try await Self.client(platform).run(Self.round(), query: ["simFault": fault])
            #expect(seen.errors.map(\.code) == [code] && seen.results.isEmpty)
            #expect(platform.billed == 0)
        }
    }

    @Test func handshakesAreRefusedDelayedAndHeld() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let client = try Self.client(platform)
            #expect(try await client.run([], query: ["simFault": "ws-refuse"]).status == 503)
            #expect(try await client.run([], query: ["simFault": "code:42900"]).status == 429)
            #expect(try await client.run([], query: ["simFault": "drop"]).status == nil)
            let late = try await client.run(
                [.await("connected"), .send(Self.start), .await("started")],
                query: ["simFault": "ws-delay-started:300"]
            )
            #expect(late.kinds == ["connected", "started"] && late.seconds >= 0.3)
        }
    }

    @Test func aDeadLinkSaysNothingAndAnswersNoPing() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let client = try Self.client(platform)
            for fault in ["ws-silent:2", "ws-freeze-after:2"] {
                let seen = try await client.run(
                    Self.round().dropLast() + [.await("outcome", within: 0.5)],
                    query: ["simFault": fault]
                )
                #expect(seen.kinds == ["connected", "started"] && seen.failure?.contains("no outcome") == true)
            }
            #expect(platform.billed == 0)
        }
    }

    @Test func anOversizedFrameClosesTheConnection() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let seen = try await Self.client(platform).run([
                .send(Self.start), .await("started"), .binary((128 << 10) + 1), .await("close"),
            ])
            #expect(seen.closeCode == 1009)
            let fits = try await Self.client(platform).run([
                .send(Self.start), .await("started"), .binary(128 << 10), .send(Self.end), .await("outcome"),
            ])
            #expect(fits.results.count == 1)
        }
    }

    @Test func theLogAndTheBillsNameSessions() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            _ = try await Self.client(platform).run(Self.round())
            let log = try await exchange(EvaluateRequest.control("GET", "/__sim/log"), with: platform)
            let entries = try JSONSerialization.jsonObject(with: Data(log.body)) as? [[String: Any]]
            let entry = try #require(entries?.first)
            #expect(entry["path"] as? String == "/api/v1/ws/evaluate" && entry["status"] as? Int == 101)
            #expect(entry["key"] as? String == "k" && entry["attempt"] as? Int == 1)
            #expect((entry["session"] as? [String: Any])?["results"] as? Int == 1)
            let bills = try await exchange(EvaluateRequest.control("GET", "/__sim/billing"), with: platform).json()
            #expect((bills["sessions"] as? [String: Any])?["opened"] as? Int == 1)
            #expect(((bills["records"] as? [[String: Any]])?.first?["audioSha256"] as? String)?.count == 64)
        }
    }
}
