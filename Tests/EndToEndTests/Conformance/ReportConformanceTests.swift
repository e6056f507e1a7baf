import Foundation
import TestSupport
import Testing

/// Reports, and the platform's own recorded answers, as clients of both sides read them.
@Suite struct ReportConformanceTests {
    @Test func aReportIsTheSameOnBothSides() async throws {
        let sides = try await SideBySide()
        let calls: [ComparedCall] = [
            .sentence(), .native(#"{"coreType":"connected","referenceText":"not at all"}"#),
            .native(#"{"coreType":"open","referenceText":"my day","includeReport":true}"#), .compat(),
        ]
        for call in calls {
            let recordID = try #require(try await sides.gateway(call).json("recordId"))
            try await sides.both(.report(recordID)).expectEqual(status: 200, code: 0, recordID)
        }
        let foreign = try #require(try await sides.platform(.sentence()).json("recordId"))
        for recordID in ["eval_000000000000", "x", "%E5%A5%BD"] {
            let answers = try await sides.both(.report(recordID))
            answers.expectEqualOutcome(status: 400, code: 40001, "unknown \(recordID)")
        }
        // Paid for under the same account, and still nobody's here: it was not this client's call.
        let log = try await sides.bed.platformLog().count
        let hidden = try await sides.gateway(.report(foreign))
        #expect(hidden.status == 400 && hidden.json("code") == "40001")
        #expect(try await sides.bed.platformLog().count == log, "nothing is forwarded")
        var anonymous = ComparedCall.report(foreign)
        anonymous.hasCredentials = false
        try await sides.both(anonymous).expectEqualOutcome(status: 401, code: 40100, "no credentials")
        #expect(try await sides.bed.billed() == calls.count + 1)
        await sides.bed.stop()
    }

    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the recorded answers are skipped"))
    func recordedAnswersPassToTheByte() async throws {
        let folder = try #require(SharedMaterial.folder).appendingPathComponent("fixtures/platform")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let sides = try await SideBySide()
        var count = 0
        for name in names where name.hasPrefix("native_") || name.hasPrefix("compat_") {
            let recording = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
            let call = name.hasPrefix("native_") ? ComparedCall.sentence(key: name) : .compat(key: name)
            try await sides.serve(recording)
            let answers = try await sides.both(call)
            #expect(answers.platform.status == 200 && answers.platform.body == recording, "\(name)")
            #expect(answers.gateway.status == 200 && answers.gateway.body == recording, "\(name)")
            let replay = try await sides.gateway(call)
            #expect(replay.body == recording && replay["idempotency-replayed"] == "true", "\(name)")
            let recordID = try #require(answers.gateway.json("recordId"))
            #expect(try await sides.bed.get("/v1/records/\(recordID)").body == recording, "\(name)")
            count += 1
        }
        #expect(count == 14)
        #expect(try await sides.bed.billed() == 0, "all of it was served from files")
        await sides.bed.stop()
    }

    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the recorded answers are skipped"))
    func recordedRefusals() async throws {
        struct Recording: Decodable {
            let status: Int
            let body: String
        }
        let folder = try #require(SharedMaterial.folder).appendingPathComponent("fixtures/platform")
        func recording(_ name: String) throws -> Recording {
            try JSONDecoder().decode(Recording.self, from: Data(contentsOf: folder.appendingPathComponent(name)))
        }
        let sides = try await SideBySide()
        let missing = try recording("error_compat_pinyin_missing_refpinyin.json")
        try await sides.serve(Array(missing.body.utf8), status: missing.status)
        let answers = try await sides.both(.compat("pinyin", [("refText", "重庆"), ("refPinyin", "chong2 qing4")]))
        answers.expectEqual(status: 400, code: 40001, "as served")
        #expect(answers.gateway.body == Array(missing.body.utf8))
        // The simulator says it in the same words, and the gateway says it before the platform is asked.
        let local = try await sides.both(.compat("pinyin", [("refText", "重庆")]))
        local.expectEqualOutcome(status: 400, code: 40001, "refPinyin")
        #expect(local.platform.json("message") == JSONText.member("message", of: Array(missing.body.utf8)))
        #expect(local.gateway.json("message")?.contains("refPinyin") == true)

        let signature = try recording("error_native_bad_signature.json")
        try await sides.serve(Array(signature.body.utf8), status: signature.status, times: 3)
        let refused = try await sides.both(.sentence())
        #expect(refused.platform.status == 401 && refused.platform.json("code") == "2003")
        #expect(refused.gateway.status == 502 && refused.gateway.json("source") == "gateway", "\(refused.gateway.text)")
        #expect(try await sides.bed.billed() == 0)
        await sides.bed.stop()
    }
}
