import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

/// `POST /api/v1/evaluate` and the report over real sockets.
@Suite struct EvaluateOverSocketTests {
    /// Runs a body against a platform.
    static func withPlatform(
        _ configuration: SimulatedPlatform.Configuration = .instant { _ in },
        _ body: (SimulatedPlatform) async throws -> Void
    ) async throws {
        let platform = try await SimulatedPlatform.start(configuration)
        do {
            try await body(platform)
        } catch {
            await platform.stop()
            throw error
        }
        await platform.stop()
    }

    @Test func aSignedRequestIsEvaluatedBilledAndReported() async throws {
        try await Self.withPlatform { platform in
            let reply = try await exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            #expect(reply.status == 200)
            #expect(reply.field("Content-Type") == "application/json")
            #expect(reply.field("x-trace-id")?.count == 32)
            #expect(reply.field("Date")?.hasSuffix(" GMT") == true)
            #expect(reply.field("Idempotency-Replayed") == nil)
            let recordID = try #require(reply.recordID)
            #expect(recordID.wholeMatch(of: /eval_[0-9a-f]{12}/) != nil)
            let eof = try reply.json()["eof"] as? Int
            #expect(eof == 1)
            #expect(platform.billed == 1)
            #expect(platform.bills.map(\.recordID) == [recordID])

            let report = try await exchange(EvaluateRequest.report(recordID, platform.account), with: platform)
            #expect(report.status == 200)
            #expect(report.code == 0)
            let data = try #require(try report.json()["data"] as? [String: Any])
            #expect(data["recordId"] as? String == recordID)
            let total = try #require((data["score"] as? [String: Any])?["overall"] as? Double)
            let result = try #require(try reply.json()["result"] as? [String: Any])
            #expect(result["overall"] as? Double == total)
        }
    }

    /// The signature of the published vector `native_config_part`: nobody here computed it.
    @Test func acceptsThePublishedSignature() async throws {
        let account = SimulatedPlatform.Account(appKey: "ak_test", secretKey: "test_secret_key_123")
        try await Self.withPlatform(.instant { $0.accounts = [account] }) { platform in
            var request = EvaluateRequest(platform)
            request.config =
                #"{"coreType":"sentence","referenceText":"今天天气很好","language":"zh-CN","slack":0.2,"scale":100,"includeReport":false}"#
            request.signature = "VPCtiJ2Qq5u/+rADfmRI7PvVeqt9goHgbiWoztYW2ag="
            try await exchange(request.bytes, with: platform).expect(status: 200)
            request.nonce = nil
            request.config += " "
            try await exchange(request.bytes, with: platform).expect(code: 2003)
        }
    }

    @Test func formBIsAcceptedAlwaysAndFormAOnlyWithoutFilename() async throws {
        try await Self.withPlatform { platform in
            var request = EvaluateRequest(platform)
            request.config =
                #"{"coreType":"word","referenceText":"apple","slack":1e-1,"scale":100.0,"includeReport":false,"x":"","y":[1]}"#
            request.texts = [("other", "a&b")]
            let formA = "config=\(request.config)&other=a&b"
            let formB = "coreType=word&includeReport=false&other=a&b&referenceText=apple&scale=100&slack=0.1"
            for (filename, text, status) in [
                (nil, formA, 200), (nil, formB, 200), ("blob", formB, 200), ("blob", formA, 401),
            ] {
                request.configFilename = filename
                request.signedText = text
                request.nonce = UUID().uuidString
                let reply = try await exchange(request.bytes, with: platform)
                #expect(reply.status == status, "\(filename ?? "no filename"), \(text)")
            }
        }
    }

    /// Each request breaks all rules from one on; the first broken rule is the one that is reported.
    @Test func checksFollowThePlatformsOrder() async throws {
        try await Self.withPlatform { platform in
            var request = EvaluateRequest(platform)
            request.nonce = nil
            request.audio = nil
            try await exchange(request.bytes, with: platform).expect(code: 40_001)
            request.config = #"{"coreType":"sentence"}"#
            try await Self.expect(request, platform, 400, 40_001, "referenceText")
            request.config = #"{"coreType":"sentences"}"#
            try await Self.expect(request, platform, 400, 40_001, "coreType")
            request.signature = "AAAA"
            try await Self.expect(request, platform, 401, 2003, "签名验证失败")
            request.config = "{"
            try await Self.expect(request, platform, 400, 40_001, "JSON")
            request.configType = "text/plain"
            try await Self.expect(request, platform, 415, 40_001, "application/json")
            request.configType = nil
            try await Self.expect(request, platform, 415, 40_001, "application/json")
            request.hasConfig = false
            try await Self.expect(request, platform, 400, 40_001, "config part is missing")
            request.contentType = "multipart/form-data"
            try await Self.expect(request, platform, 400, 40_001, "boundary")
            request.contentType = "application/octet-stream"
            try await Self.expect(request, platform, 415, 40_001, "multipart")
            #expect(platform.billed == 0)
        }
    }

    private static func expect(
        _ request: EvaluateRequest,
        _ platform: SimulatedPlatform,
        _ status: Int,
        _ code: Int,
        _ words: String
    ) async throws {
        let reply = try await exchange(request.bytes, with: platform)
        #expect(reply.status == status, "\(words)")
        let json = try reply.json()
        #expect(json["code"] as? Int == code, "\(words)")
        #expect((json["message"] as? String)?.contains(words) == true, "\(reply.text)")
        #expect(json["timestamp"] as? Int != nil, "\(words)")
    }

    @Test func emptyAndShortAudioIsRefused() async throws {
        try await Self.withPlatform { platform in
            var request = EvaluateRequest(platform)
            request.audio = []
            try await exchange(request.bytes, with: platform).expect(code: 40_001)
            request.nonce = nil
            request.audio = TestRecording.bursts(2, amplitude: 8_000)
            try await exchange(request.bytes, with: platform).expect(code: 40_001)
            request.audio = TestRecording.bursts(3, amplitude: 8_000)
            try await exchange(request.bytes, with: platform).expect(status: 200)
        }
    }

    @Test func silenceIsEvaluatedAndWarnedOf() async throws {
        try await Self.withPlatform { platform in
            var request = EvaluateRequest(platform)
            request.audio = TestRecording.silence
            let json = try await exchange(request.bytes, with: platform).json()
            #expect(json["warnings"] as? [Int] == [1001])
            let result = try #require(json["result"] as? [String: Any])
            #expect(result["overall"] as? Double == 0)
            let warning = try #require((result["warning"] as? [[String: Any]])?.first)
            #expect(warning["code"] as? Int == 1001)
            #expect(warning["message"] as? String == "No valid audio detected!")
            #expect(platform.billed == 1)
        }
    }

    @Test func credentialsAreChecked() async throws {
        let accounts = ["a", "b"].map { SimulatedPlatform.Account(appKey: $0, secretKey: "secret of \($0)") }
        try await Self.withPlatform(.instant { $0.accounts = accounts }) { platform in
            var request = EvaluateRequest(platform)
            request.account = SimulatedPlatform.Account(appKey: "c", secretKey: "secret of a")
            try await exchange(request.bytes, with: platform).expect(code: 2010)
            request.account = SimulatedPlatform.Account(appKey: "b", secretKey: "secret of a")
            try await exchange(request.bytes, with: platform).expect(code: 2003)
            request.account = accounts[1]
            try await exchange(request.bytes, with: platform).expect(status: 200)
            // The nonce was used; another account may use the same one.
            try await exchange(request.bytes, with: platform).expect(code: 2003)
            request.account = accounts[0]
            try await exchange(request.bytes, with: platform).expect(status: 200)
            for (offset, status) in [(-270, 200), (270, 200), (-330, 401), (330, 401)] {
                request.timestamp = Int(Date().timeIntervalSince1970) + offset
                request.nonce = UUID().uuidString
                try await exchange(request.bytes, with: platform).expect(status: status, "\(offset)")
            }
            let bare = Array("GET /api/v1/report/eval_1 HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
            try await exchange(bare, with: platform).expect(code: 40_100)
        }
    }

    @Test func aBearerTokenStandsForTheFirstAccount() async throws {
        try await Self.withPlatform(.instant { $0.bearerToken = "jwt" }) { platform in
            for (token, code) in [("jwt", 40_001), ("other", 2002)] {
                let request = "GET /api/v1/report/eval_1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n\r\n"
                try await exchange(Array(request.utf8), with: platform).expect(code: code)
            }
        }
    }

    @Test func foreignAndUnknownRecordsAreNotReported() async throws {
        let accounts = ["a", "b"].map { SimulatedPlatform.Account(appKey: $0, secretKey: "secret of \($0)") }
        try await Self.withPlatform(.instant { $0.accounts = accounts }) { platform in
            let reply = try await exchange(EvaluateRequest(platform).bytes, with: platform)
            let recordID = try #require(reply.recordID)
            for (id, account) in [(recordID, accounts[1]), ("eval_000000000000", accounts[0])] {
                let report = try await exchange(EvaluateRequest.report(id, account), with: platform)
                #expect(report.status == 400)
                #expect(report.code == 40_001)
            }
        }
    }

    @Test(arguments: [
        ("GET", "/api/v1/evaluate", 405, 40_001), ("POST", "/api/v1/report/x", 405, 40_001),
        ("GET", "/nothing", 404, 40_400), ("POST", "/some.eval", 403, 40_300), ("GET", "/api/v1/report/", 404, 40_400),
    ])
    func otherPathsAreRefused(method: String, path: String, status: Int, code: Int) async throws {
        try await Self.withPlatform { platform in
            let reply = try await exchange(EvaluateRequest.control(method, path), with: platform)
            #expect(reply.status == status)
            #expect(reply.code == code)
            #expect((reply.field("Allow") != nil) == (status == 405))
            #expect(reply.field("x-trace-id") != nil)
        }
    }

    @Test func aBodyBeyondTheLimitIsRefusedUnread() async throws {
        try await Self.withPlatform(.instant { $0.maximumBody = 1_000 }) { platform in
            let reply = try await exchange(EvaluateRequest(platform).bytes, with: platform)
            #expect(reply.status == 413)
            #expect(platform.requests.isEmpty)
        }
    }

    @Test func repeatedAndUnknownPartsAreTolerated() async throws {
        try await Self.withPlatform { platform in
            var request = EvaluateRequest(platform)
            request.texts = [("unknown", "1"), ("unknown", "2")]
            request.signedText = "config=\(request.config)&unknown=1"
            try await exchange(request.bytes, with: platform).expect(status: 200)
        }
    }

    @Test func theSandboxLimitsHold() async throws {
        try await Self.withPlatform(.instant { $0.dailyCalls = 2 }) { platform in
            for status in [200, 200, 429] {
                let reply = try await exchange(EvaluateRequest(platform).bytes, with: platform)
                #expect(reply.status == status)
                if status == 429 { #expect(reply.code == 42_903) }
            }
        }
        try await Self.withPlatform(.instant { $0.concurrentCalls = 1 }) { platform in
            platform.setProcessingTime(.seconds(3_600))
            async let first = exchange(EvaluateRequest(platform).bytes, with: platform)
            // Noted is not yet admitted: what is evaluated has its place.
            await until { platform.waitingPauses == 1 }
            let second = try await exchange(EvaluateRequest(platform, key: "x").bytes, with: platform)
            #expect(second.code == 42_901)
            platform.endAllPauses()
            try await first.expect(status: 200)
            try await exchange(EvaluateRequest(platform).bytes, with: platform).expect(status: 200)
        }
    }
}
