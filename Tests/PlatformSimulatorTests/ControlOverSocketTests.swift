import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

/// Served files, accounts and settings over real sockets.
@Suite struct ControlOverSocketTests {
    private static func control(
        _ method: String,
        _ path: String,
        _ json: String = "",
        _ platform: SimulatedPlatform
    ) async throws -> RawReply {
        try await exchange(EvaluateRequest.control(method, path, json), with: platform)
    }

    private static func evaluate(
        _ platform: SimulatedPlatform,
        _ account: SimulatedPlatform.Account,
        key: String? = nil,
        report: Bool = false
    ) async throws -> RawReply {
        var request = EvaluateRequest(platform, key: key)
        request.account = account
        if report { request.config = #"{"coreType":"word","referenceText":"apple","includeReport":true}"# }
        return try await exchange(request.bytes, with: platform)
    }

    // MARK: Served files

    @Test(.enabled(if: SharedMaterial.isExpected)) func everyRecordingPassesToTheByte() async throws {
        let folder = try #require(SharedMaterial.folder).appending(path: "fixtures/platform")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        #expect(files.count == 19)
        try await EvaluateOverSocketTests.withPlatform { platform in
            for file in files {
                let bytes = Array(try Data(contentsOf: folder.appending(path: file)))
                let head =
                    "POST /__sim/serve?match=/api&status=207&type=application/json%3B%20charset%3Dutf-8 HTTP/1.1\r\n"
                    + "Host: platform\r\nContent-Length: \(bytes.count)\r\n\r\n"
                let queued = try await exchange(Array(head.utf8) + bytes, with: platform)
                #expect(queued.text == #"{"queued":1}"#)
                // Another path does not use it up, and credentials do not matter.
                try await exchange(plainGET("/nothing"), with: platform).expect(status: 404)
                let reply = try await exchange(plainGET("/api/v1/report/x"), with: platform)
                #expect(reply.status == 207)
                #expect(reply.field("Content-Type") == "application/json; charset=utf-8")
                #expect(reply.body == bytes, "\(file)")
            }
            #expect(platform.billed == 0)
            #expect(platform.requests.last?.fault?.hasPrefix("serve:207:") == true)
        }
    }

    @Test func aFileMayBeServedSeveralTimesAndHasADefaultType() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            platform.serve(Array("x".utf8), status: 503, contentType: "text/plain", times: 2)
            for status in [503, 503, 200] {
                try await exchange(SpeechRequest(platform).bytes, with: platform).expect(status: status)
            }
            _ = try await Self.control("POST", "/__sim/serve", "{}", platform)
            let reply = try await exchange(SpeechRequest(platform).bytes, with: platform)
            #expect(reply.text == "{}")
            #expect(reply.field("Content-Type") == "application/json")
        }
    }

    @Test(arguments: ["status=99", "status=x", "times=0", "times=x"])
    func whatCannotBeServedIsRefused(query: String) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            try await Self.control("POST", "/__sim/serve?\(query)", "{}", platform).expect(status: 400)
            #expect(platform.waitingFaults == 0)
        }
    }

    /// Anyone on the machine can speak to a loopback address: no verb may read files for them.
    @Test func noFileNameIsEverTaken() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let faults = #"{"faults":[{"fault":"serve:/etc/passwd"}]}"#
            try await Self.control("POST", "/__sim/faults", faults, platform).expect(status: 400)
            var request = SpeechRequest(platform)
            request.lines = ["X-Sim-Fault: serve:/etc/passwd"]
            try await exchange(request.bytes, with: platform).expect(status: 400)
        }
    }

    // MARK: Accounts

    @Test func accountsAreAddedAndBilledApart() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let other = SimulatedPlatform.Account(appKey: "other", secretKey: "their secret")
            try await Self.evaluate(platform, other).expect(code: 2010)
            let added = try await Self.control(
                "POST",
                "/__sim/accounts",
                #"{"accounts":[{"appKey":"other","secretKey":"their secret","bearerToken":"theirs","dailyCalls":2}]}"#,
                platform
            )
            #expect((try added.json()["accounts"] as? [Any])?.count == 2)
            let record = try await Self.evaluate(platform, other, key: "k")
            #expect(record.status == 200)
            // The same key of another account is another one.
            let own = try await Self.evaluate(platform, platform.account, key: "k")
            #expect(own.field("Idempotency-Replayed") == nil)
            try await Self.evaluate(platform, other).expect(status: 200)
            try await Self.evaluate(platform, other).expect(code: 42_903)
            // A replay costs nothing.
            try await Self.evaluate(platform, other, key: "k").expect(status: 200)
            try await Self.evaluate(platform, platform.account).expect(status: 200)
            #expect(platform.billedByAccount == ["other": 2, platform.account.appKey: 2])
            let billing = try await Self.control("GET", "/__sim/billing", "", platform).json()
            #expect(billing["byAccount"] as? [String: Int] == platform.billedByAccount)

            let recordID = try #require(record.recordID)
            let token = "GET /api/v1/report/\(recordID) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer theirs\r\n\r\n"
            try await exchange(Array(token.utf8), with: platform).expect(status: 200)
            let foreign = EvaluateRequest.report(recordID, platform.account)
            try await exchange(foreign, with: platform).expect(code: 40_001)

            let listed = try await Self.control("GET", "/__sim/accounts", "", platform).json()
            let entry = try #require((listed["accounts"] as? [[String: Any]])?.last)
            #expect(entry["standing"] as? String == "active")
            #expect(entry["dailyCalls"] as? Int == 2)
            #expect((entry["used"] as? [String: Int])?["today"] == 2)
            platform.reset()
            try await Self.evaluate(platform, other).expect(code: 2010)
        }
    }

    /// Contract yugu, section 9.3.
    @Test(arguments: [
        ("keyExpired", 401, 2007), ("keyDisabled", 401, 2011), ("userDisabled", 400, 1004), ("userLocked", 400, 1005),
        ("disabled", 400, 1012), ("frozen", 400, 1013), ("noBalance", 400, 1310), ("noQuota", 409, 40_902),
    ])
    func standingsRefuseCalls(standing: String, status: Int, code: Int) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let account = platform.account
            let record = try await Self.evaluate(platform, account, key: "k")
            let recordID = try #require(record.recordID)
            func set(_ standing: String) async throws {
                let json = #"{"accounts":[{"appKey":"\#(account.appKey)","standing":\#(standing)}]}"#
                try await Self.control("POST", "/__sim/accounts", json, platform).expect(status: 200)
            }
            try await set("\"\(standing)\"")
            for bytes in [
                EvaluateRequest(platform).bytes, CompatRequest(platform).bytes, SpeechRequest(platform).bytes,
            ] {
                let reply = try await exchange(bytes, with: platform)
                #expect(reply.status == status)
                #expect(reply.code == code)
            }
            // Who cannot pay is let in for what costs nothing.
            let isPoor = standing.hasPrefix("no")
            let replay = try await Self.evaluate(platform, account, key: "k")
            #expect(replay.status == (isPoor ? 200 : status))
            let report = try await exchange(EvaluateRequest.report(recordID, account), with: platform)
            #expect(report.status == (isPoor ? 200 : status))
            #expect(platform.billed == 1)
            try await set("null")
            try await Self.evaluate(platform, account, key: "new").expect(status: 200)
        }
    }

    @Test(arguments: [
        "{}", "[]", #"{"accounts":{}}"#, #"{"accounts":["a"]}"#, #"{"accounts":[{}]}"#,
        #"{"accounts":[{"appKey":"new"}]}"#, #"{"accounts":[{"appKey":"n","secretKey":"s","standing":"happy"}]}"#,
        #"{"accounts":[{"appKey":"n","secretKey":"s","dailyCalls":-1}]}"#,
        #"{"accounts":[{"appKey":"n","secretKey":"s"},{"appKey":""}]}"#,
    ])
    func accountsThatMakeNoSenseAreRefusedAltogether(json: String) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            try await Self.control("POST", "/__sim/accounts", json, platform).expect(status: 400)
            let listed = try await Self.control("GET", "/__sim/accounts", "", platform).json()
            #expect((listed["accounts"] as? [Any])?.count == 1)
        }
    }

    @Test func sandboxLimitsFollowTheInjectedClock() async throws {
        // 2026-10-08 23:59:59 in Beijing.
        let second = 1_791_475_199
        let configuration = SimulatedPlatform.Configuration.instant {
            $0.dailyCalls = 1
            $0.dailyReports = 1
            $0.totalCalls = 2
            $0.clock = { second * 1_000 }
        }
        try await EvaluateOverSocketTests.withPlatform(configuration) { platform in
            func evaluate(at time: Int) async throws -> RawReply {
                var request = EvaluateRequest(platform)
                request.timestamp = time
                return try await exchange(request.bytes, with: platform)
            }
            try await evaluate(at: second).expect(status: 200)
            let refusal = try await evaluate(at: second)
            #expect(refusal.code == 42_903)
            #expect(refusal.field("Retry-After") == "1")
            // Speech has no daily limit in the contract's list.
            var speech = SpeechRequest(platform)
            speech.signing.timestamp = second
            try await exchange(speech.bytes, with: platform).expect(status: 200)
            try await Self.control("POST", "/__sim/settings", #"{"clockOffset":1}"#, platform).expect(status: 200)
            try await evaluate(at: second + 1).expect(status: 200)
            try await evaluate(at: second + 1).expect(code: 2012)
        }
    }

    // MARK: Settings

    @Test func settingsCanBeReadAndChanged() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let first = try await Self.control("GET", "/__sim/settings", "", platform)
            #expect(first.text == #"{"processingMs":0,"audioUrl":"absolute","clockOffset":0}"#)
            let changed = try await Self.control(
                "POST",
                "/__sim/settings",
                #"{"processingMs":1,"audioUrl":"path","clockOffset":-60}"#,
                platform
            )
            #expect(changed.text == #"{"processingMs":1,"audioUrl":"path","clockOffset":-60}"#)
            let reply = try await exchange(SpeechRequest(platform).bytes, with: platform)
            let data = try #require(try reply.json()["data"] as? [String: Any])
            #expect((data["audioUrl"] as? String)?.hasPrefix("/audio/") == true)
        }
    }

    @Test(arguments: [#"{"processingMs":-1}"#, #"{"audioUrl":""}"#, #"{"clockOffset":"1"}"#, "", "[]"])
    func settingsThatMakeNoSenseAreRefused(json: String) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            try await Self.control("POST", "/__sim/settings", json, platform).expect(status: 400)
        }
    }

    @Test(arguments: [
        ("DELETE", "/__sim/accounts", 405), ("GET", "/__sim/serve", 405), ("PUT", "/__sim/settings", 405),
        ("GET", "/__sim/reset", 405), ("POST", "/__sim/billing", 405), ("GET", "/__sim/other", 404),
    ])
    func otherControlRequestsAreRefused(method: String, path: String, status: Int) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let reply = try await Self.control(method, path, "", platform)
            #expect(reply.status == status)
            #expect((reply.field("Allow") != nil) == (status == 405))
        }
    }
}
