import Foundation
import TestSupport
import Testing

/// Whatever the platform refuses a call with, the client of the gateway reads the same.
@Suite struct ErrorConformanceTests {
    private struct Table: Decodable {
        struct Entry: Decodable {
            let code: Int
            let http: Int
            let category: String
        }

        let errors: [Entry]
    }

    private static func table() throws -> [Table.Entry] {
        let file = try #require(SharedMaterial.folder).appendingPathComponent("fixtures/errors.json")
        let errors = try JSONDecoder().decode(Table.self, from: Data(contentsOf: file)).errors
        #expect(errors.count == 36)
        return errors
    }

    /// One call of each route; the record belongs to the client already.
    private static func calls(_ sides: SideBySide) async throws -> [ComparedCall] {
        let recordID = try #require(try await sides.gateway(.sentence()).json("recordId"))
        return [.sentence(), .compat(), .report(recordID), .speech()]
    }

    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the vendor's error table is skipped"))
    func everyCodePassesAsItCameOnEveryRoute() async throws {
        let sides = try await SideBySide()
        let calls = try await Self.calls(sides)
        for entry in try Self.table() where entry.category != "AUTH" && entry.code != 40901 {
            for call in calls {
                let answers = try await sides.both(call, meeting: "code:\(entry.code)")
                answers.expectEqual(status: entry.http, code: entry.code, "\(entry.code) at \(call.path)")
                #expect(answers.gateway["speechgate-attempts"] == "1")
            }
        }
        // Nothing of what was refused was billed, and every key is free.
        #expect(try await sides.bed.billed() == 1)
        await sides.bed.stop()
    }

    /// The platform's word on our own account is not our client's business (design, section 4, step 7).
    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the vendor's error table is skipped"))
    func aRefusalOfOurCredentialsIsOurs() async throws {
        let sides = try await SideBySide()
        for entry in try Self.table() where entry.category == "AUTH" {
            // Once for the platform's client; twice for ours, since it signs again where a clock might be the reason.
            try await sides.bed.faults("code:\(entry.code)", "code:\(entry.code)", "code:\(entry.code)")
            let answers = try await sides.both(.sentence())
            #expect(answers.platform.status == 401 && answers.platform.json("code") == "\(entry.code)")
            #expect(answers.gateway.status == 502 && answers.gateway.json("code") == "50200", "\(entry.code)")
            #expect(answers.gateway.json("source") == "gateway")
            #expect(!answers.gateway.text.contains("\(entry.code)"), "\(answers.gateway.text)")
            _ = try await TestHTTPClient.exchange(port: sides.bed.simulatorPort, "POST", "/__sim/reset")
            try await sides.bed.killAndRestart()
        }
        #expect(try await sides.bed.billed() == 0)
        await sides.bed.stop()
    }

    @Test func theEnginesErrorsPassInAllTheirForms() async throws {
        let sides = try await SideBySide()
        let calls = try await Self.calls(sides)
        for call in calls {
            for form in ["string", "bracket:code=40001", "array", "object:code=1310"] {
                for status in [400, 422] {
                    let answers = try await sides.both(call, meeting: "engine:\(status):\(form)")
                    answers.expectEqual(status: status, "\(form) with \(status) at \(call.path)")
                    #expect(answers.gateway.json("detail") != nil && answers.gateway.json("source") == nil)
                }
            }
            // With a code, what the platform says is known whatever the status.
            for form in ["bracket:code=50000", "object:code=50200"] {
                let answers = try await sides.both(call, meeting: "engine:500:\(form)")
                answers.expectEqual(status: 500, "\(form) at \(call.path)")
            }
        }
        #expect(try await sides.bed.billed() == 1)
        await sides.bed.stop()
    }

    @Test func noHTMLPassesAndItsStatusStays() async throws {
        let sides = try await SideBySide()
        let calls = try await Self.calls(sides)
        let expected: [(status: Int, code: String, category: String, retryable: String)] = [
            (400, "40001", "INVALID_PARAM", "false"), (403, "40300", "PERMISSION", "false"),
            (404, "40400", "NOT_FOUND", "false"), (405, "40001", "INVALID_PARAM", "false"),
            (413, "40001", "INVALID_PARAM", "false"),
        ]
        for call in calls {
            for (status, code, category, retryable) in expected {
                let answers = try await sides.both(call, meeting: "html:\(status)")
                #expect(answers.platform.status == status && answers.platform.text.hasPrefix("<html"))
                let gateway = answers.gateway
                #expect(gateway.status == status && gateway.json("code") == code, "\(status): \(gateway.text)")
                #expect(gateway.json("category") == category && gateway.json("retryable") == retryable)
                #expect(gateway.json("source") == "platform" && gateway["content-type"] == "application/json")
            }
        }
        // Nothing is at stake with a report: where a paid call's outcome would be unknown, its status passes as well.
        for (status, code, category) in [
            (408, "50200", "TIMEOUT"), (429, "42900", "RATE_LIMIT"), (500, "50000", "SERVER"),
            (501, "50010", "SERVER"), (503, "50200", "UPSTREAM"), (504, "50200", "UPSTREAM"),
        ] {
            let gateway = try await sides.both(calls[2], meeting: "html:\(status)").gateway
            #expect(gateway.status == status && gateway.json("code") == code, "\(status): \(gateway.text)")
            #expect(gateway.json("category") == category)
            let paid = try await sides.both(.compat(key: "html-\(status)"), meeting: "html:\(status)").gateway
            let isUnknown = status != 501
            #expect(paid.json("reason") == "outcome_unknown" || !isUnknown, "\(status): \(paid.text)")
        }
        #expect(try await sides.bed.billed() == 1)
        await sides.bed.stop()
    }

    @Test func aCodeDecidesBeforeItsStatusWhetherThereIsAnotherAttempt() async throws {
        let bed = try await TestBed()
        // The status says again, the code says no, and the other way round.
        let once = [
            "code:42902", "code:42903", "code:50010", "code:40902", "status:503:code=40001", "status:500:code=1310",
        ]
        for (index, fault) in once.enumerated() {
            try await bed.faults(fault)
            let response = try await bed.evaluate("/sent.eval.cn", key: "no-\(index)", form: .compat())
            #expect(response.status != 200 && response["speechgate-attempts"] == "1", "\(fault): \(response.text)")
        }
        let again = ["code:1311", "status:400:code=50200", "status:418:code=3003:retryAfter=0"]
        for (index, fault) in again.enumerated() {
            try await bed.faults(fault)
            let response = try await bed.evaluate("/sent.eval.cn", key: "yes-\(index)", form: .compat())
            #expect(response.status == 200 && response["speechgate-attempts"] == "2", "\(fault): \(response.text)")
        }
        // Without a code that is known, the status decides.
        for (status, attempts) in [(408, "2"), (425, "2"), (429, "2"), (500, "2"), (502, "2"), (504, "2"), (501, "1")] {
            try await bed.faults("status:\(status):code=777777")
            let response = try await bed.evaluate("/sent.eval.cn", key: "status-\(status)", form: .compat())
            #expect(response["speechgate-attempts"] == attempts, "\(status): \(response.text)")
            #expect((response.status == 200) == (attempts == "2"))
        }
        #expect(try await bed.billed() == 9)
        await bed.stop()
    }
}
