import Foundation
import TestSupport
import Testing

/// Text to speech through the gateway: billed once, whatever happens, and only what the contract allows.
@Suite struct SpeechTests {
    private static let body = #"{"text":"你好世界","speed":5e1,"volume":50.0,"x":1e-7,"style":null}"#

    @Test func speechIsMadeOnceAndReplayed() async throws {
        let bed = try await TestBed()
        let first = try await bed.speak(Self.body, key: "k")
        #expect(first.status == 200, "\(first.text)")
        #expect(first["idempotency-key"] == "k" && first["speechgate-attempts"] == "1")
        let replay = try await bed.speak(Self.body, key: "k")
        #expect(replay.status == 200 && replay.body == first.body && replay["idempotency-replayed"] == "true")
        #expect(try await bed.billed() == 1)
        let log = try await bed.platformLog()
        #expect(log.count == 1 && log[0]["path"] as? String == "/api/v1/tts/generate")
        #expect(log[0]["bodyBytes"] as? Int == Self.body.utf8.count)
        #expect(try await bed.get("/v1/keys/k").json("state") == "answered")
        await bed.stop()
    }

    @Test func theSameKeyForAnotherTextIsRefused() async throws {
        let bed = try await TestBed()
        #expect(try await bed.speak(Self.body, key: "k").status == 200)
        for other in [#"{"text":"再见"}"#, Self.body + " "] {
            let response = try await bed.speak(other, key: "k")
            #expect(response.status == 409 && response.json("code") == "40903", "\(response.text)")
        }
        // Another operation under the same key is another request too.
        #expect(try await bed.evaluate(key: "k").status == 409)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func theAddressOfTheSpeechIsWhole() async throws {
        let bed = try await TestBed(TestBed.Settings(simulator: ["--processing-ms", "0", "--audio-url", "path"]))
        let response = try await bed.speak(Self.body, key: "k")
        let data = try #require(JSONText.object(response.body)?["data"] as? [String: Any])
        let address = try #require(data["audioUrl"] as? String)
        let base = "http://127.0.0.1:\(bed.simulatorPort)"
        #expect(address.hasPrefix("\(base)/tts/audio/"), "\(address)")
        let audio = try await TestHTTPClient.exchange(
            port: bed.simulatorPort,
            "GET",
            String(address.dropFirst(base.utf8.count))
        )
        #expect(audio.status == 200 && audio.body.starts(with: Array("RIFF".utf8)))
        #expect(try await bed.speak(Self.body, key: "k").body == response.body)
        await bed.stop()
    }

    @Test func twoServerErrorsThenSuccess() async throws {
        let bed = try await TestBed()
        try await bed.faults("status:500", "status:500")
        let response = try await bed.speak(Self.body, key: "k")
        #expect(response.status == 200 && response["speechgate-attempts"] == "3", "\(response.text)")
        #expect(try await bed.billed() == 1)
        let log = try await bed.platformLog()
        #expect(log.count == 3 && Set(log.compactMap { $0["nonce"] as? String }).count == 3)
        #expect(Set(log.compactMap { $0["key"] as? String }).count == 1)
        await bed.stop()
    }

    @Test func aConnectionDroppedAfterTheBillGetsTheReplay() async throws {
        let bed = try await TestBed()
        try await bed.faults("bill-drop")
        let response = try await bed.speak(Self.body, key: "k")
        #expect(response.status == 200 && response["speechgate-attempts"] == "2", "\(response.text)")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aRetryAfterIsObeyed() async throws {
        let bed = try await TestBed()
        try await bed.faults("status:429:retryAfter=1")
        let start = ContinuousClock.now
        let response = try await bed.speak(Self.body, key: "k")
        #expect(response.status == 200 && response["speechgate-attempts"] == "2")
        // Not a speed test: the platform asked for this second.
        #expect(ContinuousClock.now - start >= .milliseconds(950))
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func withoutAnyAnswerTheSameKeyGetsTheSpeechLater() async throws {
        let bed = try await TestBed()
        try await bed.faults("bill-drop", "drop", "drop")
        let first = try await bed.speak(Self.body, key: "k")
        #expect(first.status == 502 && first.json("reason") == "outcome_unknown", "\(first.text)")
        #expect(try await bed.get("/v1/keys/k").json("state") == "unknown")
        let second = try await bed.speak(Self.body, key: "k")
        #expect(second.status == 200, "\(second.text)")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func anEnvelopeIsReadBeforeItsStatus() async throws {
        let bed = try await TestBed()
        // A success with a code is a refusal; its key is free again.
        try await bed.serveNext(#"{"code":42903,"message":"daily limit","timestamp":1}"#)
        let refused = try await bed.speak(Self.body, key: "k")
        #expect(refused.status == 429 && refused.json("code") == "42903", "\(refused.text)")
        // A success without data is none: asked again.
        try await bed.serveNext(#"{"code":0,"message":"success","data":null,"timestamp":1}"#)
        let response = try await bed.speak(Self.body, key: "k")
        #expect(response.status == 200 && response["speechgate-attempts"] == "2", "\(response.text)")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func twentyAtOnceAreOneBill() async throws {
        let bed = try await TestBed(TestBed.Settings(simulator: ["--processing-ms", "100"]))
        let answers = try await withThrowingTaskGroup(of: TestResponse.self) { group in
            for _ in 0..<20 { group.addTask { try await bed.speak(Self.body, key: "k") } }
            return try await group.reduce(into: [TestResponse]()) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 } && Set(answers.map(\.text)).count == 1)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the recorded answer is skipped"))
    func theRecordedAnswerPassesUnchanged() async throws {
        let file = try #require(SharedMaterial.folder).appendingPathComponent("fixtures/platform/tts_generate.json")
        let recorded = try String(contentsOf: file, encoding: .utf8)
        let bed = try await TestBed()
        try await bed.serveNext(recorded)
        let response = try await bed.speak(Self.body, key: "k")
        #expect(response.status == 200 && response.text == recorded)
        await bed.stop()
    }

    @Test func anSDKThatCanOnlySignIsServed() async throws {
        let bed = try await TestBed()
        let added = try await bed.speechgate("client", "add", "sdk", "--signing", "--scopes", "tts")
        let appKey = try #require(JSONText.member("appKey", of: Array(added.output.utf8)))
        let secret = try #require(JSONText.member("secretKey", of: Array(added.output.utf8)))
        func speak(_ body: String, signed text: String, key: String) async throws -> TestResponse {
            let signature = try await CredentialTests.signature(of: text, appKey: appKey, secret: secret)
            return try await TestHTTPClient.exchange(
                port: bed.port,
                "POST",
                "/api/v1/tts/generate",
                fields: signature + [("Content-Type", "application/json"), ("Idempotency-Key", key)],
                body: Array(body.utf8)
            )
        }
        let text = "speed=50&text=你好世界&volume=50&x=0.0000001"
        #expect(try await speak(Self.body, signed: text, key: "a").status == 200)
        #expect(try await speak(Self.body, signed: text, key: "a")["idempotency-replayed"] == "true")
        let changed = try await speak(#"{"text":"再见"}"#, signed: text, key: "b")
        #expect(changed.status == 401 && changed.json("code") == "40100", "\(changed.text)")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func badRequestsNeverReachThePlatform() async throws {
        let bed = try await TestBed()
        let long = String(repeating: "长", count: 22_000)
        let cases: [(String, String?, Int, String)] = [
            ("{}", "application/json", 400, "text"),
            (#"{"text":7}"#, "application/json", 400, "text"),
            (#"{"text":"a","language":"fr"}"#, "application/json", 400, "language"),
            (#"{"text":"a","voice":1}"#, "application/json", 400, "voice"),
            (#"{"text":"a","format":"flac"}"#, "application/json", 400, "format"),
            (#"{"text":"a","speed":101}"#, "application/json", 400, "speed"),
            (#"{"text":"a","pitch":"50"}"#, "application/json", 400, "pitch"),
            (#"{"text":"a","volume":0.5}"#, "application/json", 400, "volume"),
            (#"{"text":"a","style":[]}"#, "application/json", 400, "style"),
            (#"{"text":"a","text":"b"}"#, "application/json", 400, "'text'"),
            (#"{"text":"a","n":1E400}"#, "application/json", 400, "'n'"),
            (#"{"text":"\ud800"}"#, "application/json", 400, "'text'"),
            ("text=a", "application/json", 400, "byte 0"),
            (#"{"text":"a"}"#, "text/plain", 415, "application/json"),
            (#"{"text":"a"}"#, nil, 415, "application/json"),
            (#"{"text":"a"}"#, "application/json; charset=gbk", 415, "UTF-8"),
            (#"{"text":"\#(long)"}"#, "application/json", 413, "65536"),
        ]
        for (body, type, status, word) in cases {
            let response = try await bed.speak(body, key: "k", contentType: type)
            let what = "\(body.prefix(60)): \(response.text)"
            #expect(response.status == status && response.json("code") == "40001", "\(what)")
            #expect(response.json("message")?.contains(word) == true, "\(what)")
            #expect(response["idempotency-key"] == "k" && response.json("source") == "gateway", "\(what)")
        }
        #expect(try await bed.platformLog().isEmpty)
        #expect(try await bed.billed() == 0)
        await bed.stop()
    }
}

extension TestBed {
    /// Has the platform answer its next request with this text.
    func serveNext(_ body: String, status: Int = 200) async throws {
        let response = try await TestHTTPClient.exchange(
            port: self.simulatorPort,
            "POST",
            "/__sim/serve?match=/api/&status=\(status)",
            fields: [("Content-Type", "application/json")],
            body: Array(body.utf8)
        )
        #expect(response.status == 200, "\(response.text)")
    }

    /// Asks for speech.
    func speak(
        _ body: String,
        key: String? = nil,
        user: String? = nil,
        contentType: String? = "application/json; charset=utf-8"
    ) async throws -> TestResponse {
        var fields = [("Authorization", "Bearer \(self.apiKey)")]
        if let contentType { fields.append(("Content-Type", contentType)) }
        if let key { fields.append(("Idempotency-Key", key)) }
        if let user { fields.append(("SpeechGate-User", user)) }
        return try await TestHTTPClient.exchange(
            port: self.port,
            "POST",
            "/api/v1/tts/generate",
            fields: fields,
            body: Array(body.utf8)
        )
    }
}
