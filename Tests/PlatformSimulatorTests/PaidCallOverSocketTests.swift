import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

/// What holds for everything that is paid, whatever it is (contract yugu, section 7.2).
@Suite struct PaidCallOverSocketTests {
    enum Operation: String, CaseIterable, Sendable {
        case native
        case compat
        case speech

        func bytes(_ platform: SimulatedPlatform, key: String?, fault: String? = nil) -> [UInt8] {
            let lines = fault.map { [("X-Sim-Fault", $0)] } ?? []
            switch self {
            case .native:
                var request = EvaluateRequest(platform, key: key)
                request.fields = lines
                return request.bytes
            case .compat:
                var request = CompatRequest(platform, key: key)
                request.lines = lines.map { "\($0.0): \($0.1)" }
                return request.bytes
            case .speech:
                var request = SpeechRequest(platform, key: key)
                request.lines = lines.map { "\($0.0): \($0.1)" }
                return request.bytes
            }
        }
    }

    @Test(arguments: Operation.allCases) func whatWasBilledAndLostIsFetchedByItsKey(operation: Operation) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let lost = try await exchange(operation.bytes(platform, key: "k", fault: "bill-drop"), with: platform)
            #expect(lost.bytes.isEmpty)
            let first = try await exchange(operation.bytes(platform, key: "k"), with: platform)
            #expect(first.status == 200)
            #expect(first.field("Idempotency-Replayed") == "true")
            let second = try await exchange(operation.bytes(platform, key: "k"), with: platform)
            #expect(second.body == first.body)
            #expect(platform.billedByKey == ["k": 1])
        }
    }

    @Test(arguments: Operation.allCases) func whatRunsHoldsItsKey(operation: Operation) async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.runningWait = .zero }) { platform in
            let slow = operation.bytes(platform, key: "k", fault: "slow:3600000")
            async let first = exchange(slow, with: platform)
            await until { platform.waitingPauses == 1 }
            let second = try await exchange(operation.bytes(platform, key: "k"), with: platform)
            #expect(second.status == 409)
            #expect(second.code == 40_901)
            #expect(second.field("Retry-After") == "2")
            platform.endAllPauses()
            try await first.expect(status: 200)
            #expect(platform.billedByKey == ["k": 1])
        }
    }

    @Test(arguments: Operation.allCases) func aFailureLeavesTheKeyFree(operation: Operation) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            for fault in ["code:50000", "code:1310", "engine:500:array", "html:502", "drop"] {
                _ = try await exchange(operation.bytes(platform, key: "k", fault: fault), with: platform)
            }
            let reply = try await exchange(operation.bytes(platform, key: "k"), with: platform)
            #expect(reply.status == 200)
            #expect(reply.field("Idempotency-Replayed") == nil)
            #expect(platform.billedByKey == ["k": 1])
        }
    }

    @Test(arguments: Operation.allCases) func withoutAKeyEveryCallIsBilled(operation: Operation) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            for _ in 0..<2 {
                try await exchange(operation.bytes(platform, key: nil), with: platform).expect(status: 200)
            }
            #expect(platform.billed == 2)
            #expect(platform.billedByKey.isEmpty)
        }
    }

    @Test(arguments: Operation.allCases) func answersExpireAfterTheirTime(operation: Operation) async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.answerLifetime = .zero }) { platform in
            for _ in 0..<2 {
                let reply = try await exchange(operation.bytes(platform, key: "k"), with: platform)
                #expect(reply.field("Idempotency-Replayed") == nil)
            }
            #expect(platform.billedByKey == ["k": 2])
        }
    }
}
