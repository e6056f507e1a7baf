import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

/// `POST /{coreType}` over real sockets (contract yugu, section 5).
@Suite struct CompatOverSocketTests {
    private static let vectorAccount = SimulatedPlatform.Account(appKey: "ak_test", secretKey: "test_secret_key_123")

    @Test func theTenNamesAreThoseOfTheContract() {
        #expect(
            Set(CompatName.allCases.map(\.rawValue)) == [
                "word.eval", "word.eval.pro", "sent.eval", "sent.eval.pro", "para.eval", "alpha.eval", "word.eval.cn",
                "sent.eval.cn", "para.eval.cn", "pinyin",
            ]
        )
    }

    @Test(arguments: CompatName.allCases) func everyNameIsEvaluatedBilledAndReported(name: CompatName) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            var fields = [("refText", name.isChinese ? "今天天气很好" : "a good day"), ("coreType", name.rawValue)]
            if name == .pinyin { fields.append(("refPinyin", "jin1 tian1 tian1 qi4 hen3 hao3")) }
            let reply = try await exchange(
                CompatRequest(platform, name.rawValue, fields, key: "k").bytes,
                with: platform
            )
            #expect(reply.status == 200)
            let json = try reply.json()
            #expect(Set(json.keys) == ["recordId", "result", "eof"])
            #expect(json["eof"] as? Int == 1)
            let recordID = try #require(reply.recordID)
            #expect(recordID.wholeMatch(of: /eval_[0-9a-f]{12}/) != nil)
            let result = try #require(json["result"] as? [String: Any])
            #expect(result["_coreType"] as? String == name.rawValue)
            #expect(result["_language"] as? String == (name.isChinese ? "zh" : "en"))
            let bill = try #require(platform.bills.first)
            #expect(bill.coreType == name.rawValue)
            #expect(bill.recordID == recordID)
            let report = try await exchange(EvaluateRequest.report(recordID, platform.account), with: platform)
            let data = try #require(try report.json()["data"] as? [String: Any])
            #expect((data["score"] as? [String: Any])?["overall"] as? Double == result["overall"] as? Double)
        }
    }

    struct Vector: Sendable {
        var name: String
        var secret = "test_secret_key_123"
        var fields: [(String, String)]
        var signature: String
    }

    static let vectors = [
        Vector(
            name: "sent.eval.cn",
            fields: [("coreType", "sent.eval.cn"), ("language", "zh-CN"), ("refText", "北京你好")],
            signature: "A+6uVB/D7khxQEt8tzgCNjMUC1QtQQd1UF+NCYVYZqE="
        ),
        Vector(
            name: "sent.eval",
            fields: [
                ("refText", "How are you"), ("language", "en-US"), ("paragraph_need_word_score", "1"),
                ("refPinyin", ""),
            ],
            signature: "YVajpFF/THZKqoMEJ1YgumyNifcelD4k6SgggXMZKao="
        ),
        Vector(
            name: "sent.eval",
            secret: "s3cr3t/+=",
            fields: [("refText", "a&b=c d+e%20"), ("x", "中文，标点。")],
            signature: "F83DtN5Yjyi12MyV2BPS68x5YGHRc5eR7c1CE2iWAaA="
        ),
    ]

    /// The signatures of the published vectors `contract_vector`, `compat_form` and `special_chars`.
    @Test(arguments: Self.vectors) func acceptsThePublishedSignatures(vector: Vector) async throws {
        let (name, fields, signature) = (vector.name, vector.fields, vector.signature)
        let account = SimulatedPlatform.Account(appKey: "ak_test", secretKey: vector.secret)
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.accounts = [account] }) { platform in
            var request = CompatRequest(platform, name, fields)
            request.signing.signature = signature
            try await exchange(request.bytes, with: platform).expect(status: 200)
            request.signing.nonce = UUID().uuidString
            request.fields.append(("more", "1"))
            try await exchange(request.bytes, with: platform).expect(code: 2003)
        }
    }

    @Test func everyTextFieldIsSignedAndTheMembersOfRequestAreNot() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.accounts = [Self.vectorAccount] }) { platform in
            let json = #"{"scale":10,"refText":"天气","attachAudioUrl":1}"#
            var request = CompatRequest(
                platform,
                "sent.eval.cn",
                [("refText", "你好"), ("request", json), ("config", "x")]
            )
            request.signing.signature = try await opensslSignature(
                "config=x&refText=你好&request=\(json)",
                "test_secret_key_123"
            )
            let reply = try await exchange(request.bytes, with: platform)
            #expect(reply.status == 200)
            let body = try reply.json()
            // The member counts, unless there is a field of its name.
            #expect(body["audioUrl"] != nil)
            let result = try #require(body["result"] as? [String: Any])
            #expect(try #require(result["overall"] as? Double) <= 10)
            #expect((result["words"] as? [[String: Any]])?.compactMap { $0["word"] as? String } == ["你", "好"])

            request.signing.nonce = UUID().uuidString
            request.signing.signature = try await opensslSignature(
                "attachAudioUrl=1&config=x&refText=你好&request=\(json)&scale=10",
                "test_secret_key_123"
            )
            try await exchange(request.bytes, with: platform).expect(code: 2003)
        }
    }

    @Test func theKeyIsMandatoryAndATokenIsNoCredential() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.bearerToken = "jwt" }) { platform in
            var request = CompatRequest(platform)
            for credentials in [
                [], ["Authorization: Bearer jwt"],
                ["Authorization: Bearer jwt", "X-App-Key: \(platform.account.appKey)"],
                ["X-App-Key: \(platform.account.appKey)"],
            ] {
                request.credentials = credentials
                let reply = try await exchange(request.bytes, with: platform)
                #expect(reply.status == 401, "\(credentials)")
                #expect(reply.code == 40_100, "\(credentials)")
            }
            // Beside a signature it does no harm.
            request.credentials = nil
            request.lines = ["Authorization: Bearer other"]
            try await exchange(request.bytes, with: platform).expect(status: 200)
        }
    }

    /// Each request breaks all rules from one on; the first broken rule is the one that is reported.
    @Test func checksFollowThePlatformsOrder() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            var request = CompatRequest(platform, "pinyin", [("refPinyin", "chong2 qing4")])
            func expect(_ status: Int, _ code: Int, _ words: String) async throws {
                request.signing.nonce = UUID().uuidString
                let reply = try await exchange(request.bytes, with: platform)
                #expect(reply.status == status, "\(words)")
                #expect(reply.code == code, "\(words)")
                #expect(reply.text.contains(words), "\(reply.text)")
            }
            request.audio = nil
            try await expect(400, 40_001, "audio")
            request.fields = [("scale", "0")]
            try await expect(400, 40_001, "refPinyin")
            request.signing.signature = "AAAA"
            try await expect(401, 2003, "签名验证失败")
            request.contentType = "application/octet-stream"
            try await expect(400, 40_001, "multipart")
            request.credentials = []
            try await expect(401, 40_100, "credentials")
            #expect(platform.billed == 0)
        }
    }

    /// The recorded refusals: status, code, message and members.
    @Test(
        .enabled(if: SharedMaterial.isExpected),
        arguments: ["error_compat_pinyin_missing_refpinyin.json", "error_native_bad_signature.json"]
    )
    func refusalsAreTheRecordedOnes(file: String) async throws {
        let folder = try #require(SharedMaterial.folder)
        let data = try Data(contentsOf: folder.appending(path: "fixtures/platform/\(file)"))
        let recording = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let text = try #require(recording["body"] as? String)
        let body = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        try await EvaluateOverSocketTests.withPlatform { platform in
            var native = EvaluateRequest(platform)
            native.signature = "AAAA"
            let compat = CompatRequest(platform, "pinyin", [("refText", "重庆")])
            let reply = try await exchange(file.contains("pinyin") ? compat.bytes : native.bytes, with: platform)
            #expect(reply.status == recording["status"] as? Int)
            #expect(reply.field("content-type") == "application/json")
            #expect(reply.field("x-trace-id")?.wholeMatch(of: /[0-9a-f]{32}/) != nil)
            let json = try reply.json()
            #expect(Set(json.keys) == Set(body.keys))
            #expect(json["code"] as? Int == body["code"] as? Int)
            #expect(json["message"] as? String == body["message"] as? String)
            #expect(json["timestamp"] is Int)
        }
    }

    /// `https://open.shengzhiai.com/rec/<yyyyMMdd>/<file>`, the day being Beijing's.
    @Test func theAddressOfTheRecordingIsTheSameInAReplay() async throws {
        // 2026-10-08 23:30 in Beijing.
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.clock = { 1_791_473_400_000 } }) { platform in
            var request = CompatRequest(platform, key: "k")
            request.fields.append(("attachAudioUrl", "1"))
            request.signing.timestamp = 1_791_473_400
            let first = try await exchange(request.bytes, with: platform)
            let url = try #require(try first.json()["audioUrl"] as? String)
            let recordID = try #require(first.recordID)
            let form = try Regex("https://open\\.shengzhiai\\.com/rec/20261008/\(recordID)-[0-9a-f]{32}\\.wav")
            #expect(url.wholeMatch(of: form) != nil, "\(url)")
            #expect(Set(try first.json().keys) == ["recordId", "result", "audioUrl", "eof"])
            // On the next day it is still the first day's.
            platform.setClockOffset(3_600)
            request.signing = SigningFields(platform.account)
            request.signing.timestamp = 1_791_477_000
            let replay = try await exchange(request.bytes, with: platform)
            #expect(replay.field("Idempotency-Replayed") == "true")
            #expect(replay.body == first.body)
            #expect(platform.billed == 1)
        }
    }

    @Test func theBaseOfTheAddressIsASetting() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.recordingBase = "http://there" }) { platform in
            var request = CompatRequest(platform, "sent.eval.cn", [("refText", "你好"), ("attachAudioUrl", "1")])
            request.audioName = "a.b.MP3"
            let url = try #require(try await exchange(request.bytes, with: platform).json()["audioUrl"] as? String)
            #expect(url.hasPrefix("http://there/rec/20"))
            #expect(url.hasSuffix(".mp3"))
        }
    }

    @Test func theOrderOfFieldsIsNoDifferenceAndTheirValuesAre() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            _ = try await exchange(CompatRequest(platform, key: "k").bytes, with: platform)
            var request = CompatRequest(platform, key: "k")
            request.fields.reverse()
            let replay = try await exchange(request.bytes, with: platform)
            #expect(replay.field("Idempotency-Replayed") == "true")
            for change in ["field", "value", "audio", "name"] {
                request = CompatRequest(platform, key: "k")
                switch change {
                case "field": request.fields.append(("dict_type", "KK"))
                case "value": request.fields[0].1 += "。"
                case "audio": request.audio = TestRecording.otherSpeech
                default: request.name = "word.eval.cn"
                }
                let reply = try await exchange(request.bytes, with: platform)
                #expect(reply.status == 409, "\(change)")
                #expect(reply.code == 40_903, "\(change)")
            }
            // A native evaluation is another request, too.
            try await exchange(EvaluateRequest(platform, key: "k").bytes, with: platform).expect(code: 40_903)
            #expect(platform.billedByKey == ["k": 1])
        }
    }

    @Test(arguments: [
        ("POST", "/sent.eval.fr", 403, 40_300), ("POST", "/open.eval", 403, 40_300), ("POST", "/sentence", 404, 40_400),
        ("GET", "/pinyin", 405, 40_001), ("POST", "/pinyin/", 404, 40_400), ("POST", "/a/b.eval", 404, 40_400),
    ])
    func otherNamesAreRefused(method: String, path: String, status: Int, code: Int) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let reply = try await exchange(EvaluateRequest.control(method, path), with: platform)
            #expect(reply.status == status)
            #expect(reply.code == code)
        }
    }
}
