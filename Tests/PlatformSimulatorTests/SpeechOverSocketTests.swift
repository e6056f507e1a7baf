import Foundation
import SpeechAudio
import TestSupport
import Testing

@testable import PlatformSimulator

/// `POST /api/v1/tts/generate` and the files over real sockets (contract yugu, section 6.1).
@Suite struct SpeechOverSocketTests {
    private static let account = SimulatedPlatform.Account(appKey: "ak_test", secretKey: "test_secret_key_123")

    private static func data(_ reply: RawReply) throws -> [String: Any] {
        try #require(try reply.json()["data"] as? [String: Any])
    }

    /// The path of the file on the platform, from either form of its address.
    private static func path(_ reply: RawReply, _ platform: SimulatedPlatform) throws -> String {
        let url = try #require(try Self.data(reply)["audioUrl"] as? String)
        return url.hasPrefix("/audio/") ? "/tts" + url : String(url.dropFirst(platform.url.count))
    }

    /// The signature of the published vector `tts_json_body`.
    @Test func acceptsThePublishedSignature() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.accounts = [Self.account] }) { platform in
            var request = SpeechRequest(platform)
            request.body =
                #"{"text":"你好世界","language":"zh-CN","voice":"xiaoyan","format":"mp3","speed":50,"pitch":50,"volume":50,"style":null}"#
            request.signing.signature = "OwKwMSazwAh1jmF/ro/dSSgMuJCt8RAFkmf7uZ9cEK4="
            try await exchange(request.bytes, with: platform).expect(status: 200)
            request.body = request.body.replacing("你好", with: "再见")
            request.signing.nonce = UUID().uuidString
            try await exchange(request.bytes, with: platform).expect(code: 2003)
        }
    }

    @Test func theLiteralTextOfTheScalarsIsSigned() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.accounts = [Self.account] }) { platform in
            var request = SpeechRequest(platform)
            request.body = #"""
                {"text":"\u4f60\u597d, \"A\" \ud83d\ude00", "speed":50.0, "pitch":5e1, "volume":50, "flag":true,
                 "big":12345678901234567890123, "tiny":1e-7, "style":null, "list":[1], "object":{"a":1}, "empty":""}
                """#
            request.signing.signature = try await opensslSignature(
                "big=12345678901234567890123&flag=true&pitch=50&speed=50&text=你好, \"A\" 😀&tiny=0.0000001&volume=50",
                "test_secret_key_123"
            )
            try await exchange(request.bytes, with: platform).expect(status: 200)
            // A signature over the empty set is the vendor's own simulator's leniency (section 15).
            request.signing.nonce = UUID().uuidString
            request.signing.signature = try await opensslSignature("", "test_secret_key_123")
            try await exchange(request.bytes, with: platform).expect(code: 2003)
        }
    }

    @Test(.enabled(if: SharedMaterial.isExpected)) func theEnvelopeIsTheRecordedOne() async throws {
        let folder = try #require(SharedMaterial.folder)
        let file = try Data(contentsOf: folder.appending(path: "fixtures/platform/tts_generate.json"))
        let recording = try #require(try JSONSerialization.jsonObject(with: file) as? [String: Any])
        let recorded = try #require(recording["data"] as? [String: Any])
        try await EvaluateOverSocketTests.withPlatform { platform in
            let reply = try await exchange(SpeechRequest(platform).bytes, with: platform)
            let json = try reply.json()
            #expect(Set(json.keys) == Set(recording.keys))
            #expect(json["code"] as? Int == 0)
            #expect(json["message"] as? String == recording["message"] as? String)
            #expect(json["timestamp"] is Int)
            let data = try Self.data(reply)
            #expect(Set(data.keys) == Set(recorded.keys))
            #expect(data["format"] as? String == "mp3")
            #expect((data["warnings"] as? [Any])?.isEmpty == true)
            #expect((data["duration"] as? String)?.wholeMatch(of: /\d+\.\d{3}/) != nil)
            let order = try ["\"code\"", "\"message\"", "\"data\"", "\"audioUrl\"", "\"duration\"", "\"format\""].map {
                try #require(reply.text.range(of: $0)).lowerBound
            }
            #expect(order == order.sorted())
        }
    }

    @Test(arguments: ["mp3", "wav", "ogg"]) func theFileIsServedAsWhatItIs(format: String) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            var request = SpeechRequest(platform)
            request.body = #"{"text":"你好世界","format":"\#(format)"}"#
            request.signedText = "format=\(format)&text=你好世界"
            let reply = try await exchange(request.bytes, with: platform)
            let data = try Self.data(reply)
            #expect(data["format"] as? String == format)
            let url = try #require(data["audioUrl"] as? String)
            #expect(url.hasPrefix(platform.url + "/tts/audio/"))
            #expect(url.hasSuffix("." + format))
            let file = try await exchange(plainGET(Self.path(reply, platform)), with: platform)
            #expect(file.status == 200)
            #expect(file.field("Content-Type") == "audio/wav")
            var parser = WAVParser()
            file.body.withUnsafeBytes { parser.parse($0) { _, _ in } }
            #expect(parser.format == .advised)
            let duration = try #require((data["duration"] as? String).flatMap(Double.init))
            #expect(abs(try #require(parser.duration) - duration) < 0.001)
            #expect(duration > 0.5)
        }
    }

    @Test func theAddressHasTheFormThatWasChosen() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.givesAudioPaths = true }) { platform in
            let reply = try await exchange(SpeechRequest(platform).bytes, with: platform)
            let url = try #require(try Self.data(reply)["audioUrl"] as? String)
            #expect(url.wholeMatch(of: /\/audio\/[0-9a-f]{32}\.mp3/) != nil)
            try await exchange(plainGET(Self.path(reply, platform)), with: platform).expect(status: 200)
            for (fault, prefix) in [
                ("audio-url:absolute", platform.url + "/tts/audio/"),
                ("audio-url:https%3A//there/x.mp3", "https://there/x.mp3"),
            ] {
                var request = SpeechRequest(platform)
                request.lines = ["X-Sim-Fault: \(fault)"]
                let other = try await exchange(request.bytes, with: platform)
                #expect((try Self.data(other)["audioUrl"] as? String)?.hasPrefix(prefix) == true)
            }
        }
    }

    @Test func equalBodiesOfOneKeyAreMadeOnce() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let first = try await exchange(SpeechRequest(platform, key: "k").bytes, with: platform)
            var request = SpeechRequest(platform, key: "k")
            // What was stored is answered, however addresses are written by now.
            request.lines = ["X-Sim-Fault: audio-url:path"]
            let replay = try await exchange(request.bytes, with: platform)
            #expect(replay.field("Idempotency-Replayed") == "true")
            #expect(replay.body == first.body)
            request.body += " "
            request.signing.nonce = UUID().uuidString
            try await exchange(request.bytes, with: platform).expect(code: 40_903)
            #expect(platform.billedByKey == ["k": 1])
            let bill = try #require(platform.bills.first)
            #expect(bill.coreType == "tts")
            #expect(bill.appKey == platform.account.appKey)
            // Without a key every request is made, and has a file of its own.
            let second = try await exchange(SpeechRequest(platform).bytes, with: platform)
            #expect(try Self.path(second, platform) != Self.path(first, platform))
            #expect(platform.billed == 2)
            platform.reset()
            try await exchange(plainGET(Self.path(first, platform)), with: platform).expect(status: 404)
        }
    }

    @Test func aTokenWillDo() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.bearerToken = "jwt" }) { platform in
            var request = SpeechRequest(platform, key: "k")
            request.credentials = ["Authorization: Bearer jwt"]
            try await exchange(request.bytes, with: platform).expect(status: 200)
            // Equal keys of a token and of a signature do not meet (section 7.2).
            let signed = try await exchange(SpeechRequest(platform, key: "k").bytes, with: platform)
            #expect(signed.field("Idempotency-Replayed") == nil)
            #expect(platform.billedByKey == ["k": 2])
            request.credentials = []
            try await exchange(request.bytes, with: platform).expect(code: 40_100)
        }
    }

    @Test(arguments: [
        #"{}"#, #"{"text":""}"#, #"{"text":" "}"#, #"{"text":null}"#, #"{"text":1}"#, #"{"text":["a"]}"#,
        #"{"text":"a","language":"fr-FR"}"#, #"{"text":"a","language":1}"#, #"{"text":"a","voice":"robot"}"#,
        #"{"text":"a","voice":"female"}"#, #"{"text":"a","language":"en-US","voice":"xiaoyan"}"#,
        #"{"text":"a","format":"flac"}"#, #"{"text":"a","format":"MP3"}"#, #"{"text":"a","speed":-1}"#,
        #"{"text":"a","speed":101}"#, #"{"text":"a","speed":50.5}"#, #"{"text":"a","speed":"50"}"#,
        #"{"text":"a","pitch":101}"#, #"{"text":"a","volume":-1}"#, #"{"text":"a","volume":true}"#,
        #"{"text":"a","style":1}"#, #"{"text":"\ud800"}"#, "[]", "{", "",
    ])
    func fieldsOutsideTheirRangesAreRefused(body: String) async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.bearerToken = "jwt" }) { platform in
            var request = SpeechRequest(platform)
            request.body = body
            request.credentials = ["Authorization: Bearer jwt"]
            let reply = try await exchange(request.bytes, with: platform)
            #expect(reply.status == 400)
            #expect(reply.code == 40_001)
            #expect(platform.billed == 0)
        }
    }

    @Test(arguments: [
        #"{"text":"a"}"#, #"{"text":"a","language":"en-GB","voice":"male","format":"ogg","speed":0,"pitch":100}"#,
        #"{"text":"a","language":null,"voice":null,"format":null,"speed":null,"style":"calm"}"#,
        #"{"text":"a","volume":1e2,"speed":50.0,"other":{"b":[1]}}"#, #"{"text":"—"}"#,
    ])
    func fieldsAtTheEndsOfTheirRangesPass(body: String) async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.bearerToken = "jwt" }) { platform in
            var request = SpeechRequest(platform)
            request.body = body
            request.credentials = ["Authorization: Bearer jwt"]
            let reply = try await exchange(request.bytes, with: platform)
            #expect(reply.status == 200)
            try await exchange(plainGET(Self.path(reply, platform)), with: platform).expect(status: 200)
        }
    }

    @Test func whatIsNoJSONOrTooLargeIsRefused() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            var request = SpeechRequest(platform)
            request.contentType = "text/plain"
            try await exchange(request.bytes, with: platform).expect(status: 415)
            request.contentType = "application/json; charset=utf-8"
            try await exchange(request.bytes, with: platform).expect(status: 200)
            request.body += String(repeating: " ", count: SpeechRoute.maximumBody)
            try await exchange(request.bytes, with: platform).expect(status: 413)
        }
    }

    @Test(arguments: [
        ("GET", "/api/v1/tts/generate", 405), ("POST", "/tts/audio/x.mp3", 405), ("GET", "/tts/audio/x.mp3", 404),
        ("GET", "/tts/audio/", 404), ("GET", "/tts/audio/..%2Fx", 404),
    ])
    func otherRequestsAreRefused(method: String, path: String, status: Int) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            try await exchange(EvaluateRequest.control(method, path), with: platform).expect(status: status)
        }
    }
}

@Suite struct SpeechTonesTests {
    @Test func paceHeightAndVolumeFollowTheOrder() {
        var order = SpeechOrder(text: "你好世界")
        let usual = SpeechTones(order)
        #expect(usual.file() == SpeechTones(order).file())
        order.speed = 100
        #expect(abs(SpeechTones(order).duration * 2 - usual.duration) < 0.001)
        order.speed = 50
        order.pitch = 100
        #expect(SpeechTones(order).file() != usual.file())
        order.volume = 0
        #expect(SpeechTones(order).file().dropFirst(44).allSatisfy { $0 == 0 })
        order.text = "再见世界"
        order.pitch = 50
        order.volume = 50
        #expect(SpeechTones(order).file() != usual.file())
    }

    @Test func longTextsAreCutOff() {
        var order = SpeechOrder(text: String(repeating: "长", count: 10_000))
        order.speed = 0
        #expect(SpeechTones(order).duration <= 60)
    }
}
