import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

/// Billing, log and reset over real sockets.
@Suite struct InspectionOverSocketTests {
    @Test func billingAndLogTellWhatHappened() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            _ = try await SimulatorCall.evaluate("status:500", key: "k", platform)
            let second = try await SimulatorCall.evaluate(nil, key: "k", platform)
            _ = try await SimulatorCall.evaluate(nil, key: "k", platform)
            let billing = try await SimulatorCall.control("GET", "/__sim/billing", "", platform).json()
            #expect(billing["billed"] as? Int == 1)
            #expect(billing["byKey"] as? [String: Int] == ["k": 1])
            let record = try #require((billing["records"] as? [[String: Any]])?.first)
            #expect(record["recordId"] as? String == second.recordID)
            #expect(record["key"] as? String == "k")
            #expect(record["appKey"] as? String == platform.account.appKey)

            let body = try await SimulatorCall.control("GET", "/__sim/log", "", platform).body
            let log = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [[String: Any]])
            #expect(log.compactMap { $0["order"] as? Int } == [1, 2, 3])
            #expect(log.compactMap { $0["attempt"] as? Int } == [1, 2, 3])
            #expect(log.compactMap { $0["status"] as? Int } == [500, 200, 200])
            #expect(log.compactMap { $0["replayed"] as? Bool } == [false, false, true])
            #expect(log.map { $0["fault"] as? String } == ["status:500", nil, nil])
            #expect(Set(log.compactMap { $0["nonce"] as? String }).count == 3)
            #expect(log.allSatisfy { $0["path"] as? String == "/api/v1/evaluate" && $0["key"] as? String == "k" })
            #expect(log.allSatisfy { ($0["bodyBytes"] as? Int ?? 0) > 60_000 && $0["timestamp"] as? String != nil })
        }
    }

    @Test func resetForgetsEverything() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let first = try await SimulatorCall.evaluate(nil, key: "k", platform)
            try platform.inject("drop")
            try await SimulatorCall.control("POST", "/__sim/reset", "", platform).expect(status: 200)
            #expect(platform.billed == 0)
            #expect(platform.requests.isEmpty)
            #expect(platform.waitingFaults == 0)
            let second = try await SimulatorCall.evaluate(nil, key: "k", platform)
            #expect(second.field("Idempotency-Replayed") == nil)
            #expect(second.recordID != first.recordID)
            #expect(platform.billed == 1)
        }
    }

    @Test func aRunFromBeforeTheResetLeavesNoTrace() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            platform.setProcessingTime(.seconds(3_600))
            async let early = SimulatorCall.evaluate(nil, key: "k", platform)
            await until { platform.requests.count == 1 }
            platform.reset()
            platform.endAllPauses()
            try await early.expect(status: 200)
            #expect(platform.billed == 0)
            #expect(platform.requests.isEmpty)
        }
    }

    @Test func logsAreBounded() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.logCapacity = 3 }) { platform in
            for _ in 0..<5 { _ = try await SimulatorCall.evaluate(nil, platform) }
            #expect(platform.requests.map(\.order) == [3, 4, 5])
            #expect(platform.bills.count == 3)
            #expect(platform.billed == 5)
        }
    }
}
