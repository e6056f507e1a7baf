import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

/// The table of contract yugu, section 7.2, over real sockets; waits are shortened by settings.
@Suite struct IdempotencyOverSocketTests {
    @Test func aKeyIsEvaluatedOnceAndReplayed() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let first = try await exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            let second = try await exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            #expect(second.status == 200)
            #expect(second.body == first.body)
            #expect(second.field("Idempotency-Replayed") == "true")
            #expect(platform.billed == 1)
            #expect(platform.billedByKey == ["k": 1])
        }
    }

    /// The simulator keeps few texts, and writes the others anew.
    @Test func aReplayIsTheSameToTheByteWhenManyCameBetween() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let first = try await exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            let recordID = try #require(first.recordID)
            for number in 0..<70 {
                var request = EvaluateRequest(platform)
                request.config = #"{"coreType":"word","referenceText":"number \#(number)"}"#
                try await exchange(request.bytes, with: platform).expect(status: 200)
            }
            let replay = try await exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            #expect(replay.field("Idempotency-Replayed") == "true")
            #expect(replay.body == first.body)
            let report = try await exchange(EvaluateRequest.report(recordID, platform.account), with: platform)
            #expect(report.status == 200)
        }
    }

    @Test func theOtherSpellingOfTheFieldCountsToo() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            for _ in 0..<2 {
                var request = EvaluateRequest(platform)
                request.fields = [("X-Idempotency-Key", "k")]
                _ = try await exchange(request.bytes, with: platform)
            }
            #expect(platform.billedByKey == ["k": 1])
        }
    }

    @Test(arguments: ["audio", "config"])
    func anotherRequestWithTheKeyIsRefused(part: String) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            _ = try await exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            var request = EvaluateRequest(platform, key: "k")
            if part == "audio" { request.audio = TestRecording.otherSpeech } else { request.config += " " }
            let reply = try await exchange(request.bytes, with: platform)
            #expect(reply.status == 409)
            #expect(reply.code == 40_903)
            #expect(platform.billed == 1)
        }
    }

    @Test func withoutAKeyEveryRequestIsEvaluated() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            var request = EvaluateRequest(platform)
            _ = try await exchange(request.bytes, with: platform)
            request.nonce = nil
            // A key that breaks the rules counts as none.
            request.fields = [("Idempotency-Key", String(repeating: "k", count: 201))]
            _ = try await exchange(request.bytes, with: platform)
            #expect(platform.billed == 2)
            #expect(platform.billedByKey.isEmpty)
        }
    }

    @Test func simultaneousRequestsWaitForTheFirst() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            platform.setProcessingTime(.milliseconds(400))
            let replies = try await withThrowingTaskGroup(of: RawReply.self) { group in
                for _ in 0..<8 {
                    let bytes = EvaluateRequest(platform, key: "k").bytes
                    group.addTask { try await exchange(bytes, with: platform) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.allSatisfy { $0.status == 200 })
            #expect(Set(replies.map(\.body)).count == 1)
            #expect(replies.filter { $0.field("Idempotency-Replayed") == nil }.count == 1)
            #expect(platform.billed == 1)
        }
    }

    @Test func aWaitThatIsTooLongIsAnsweredWithRetryAfter() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.runningWait = .milliseconds(30) }) { platform in
            platform.setProcessingTime(.seconds(3_600))
            async let first = exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            await until { platform.waitingPauses == 1 }
            let second = try await exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            #expect(second.status == 409)
            #expect(second.code == 40_901)
            #expect(second.field("Retry-After") == "2")
            platform.endAllPauses()
            try await first.expect(status: 200)
            #expect(platform.billed == 1)
        }
    }

    @Test func aFailureReleasesTheKey() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.dailyCalls = 0 }) { platform in
            for _ in 0..<2 {
                let reply = try await exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
                #expect(reply.code == 42_903)
            }
            var request = EvaluateRequest(platform, key: "k")
            request.audio = TestRecording.otherSpeech
            try await exchange(request.bytes, with: platform).expect(code: 42_903)
        }
    }

    @Test func resultsAndRunsExpire() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.answerLifetime = .zero }) { platform in
            for _ in 0..<2 { _ = try await exchange(EvaluateRequest(platform, key: "k").bytes, with: platform) }
            #expect(platform.billedByKey == ["k": 2])
        }
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.runningLifetime = .zero }) { platform in
            platform.setProcessingTime(.seconds(3_600))
            async let first = exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            async let second = exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            await until { platform.waitingPauses == 2 }
            platform.endAllPauses()
            _ = try await [first, second]
            #expect(platform.billedByKey == ["k": 2])
        }
    }

    @Test func tenantsDoNotShareKeys() async throws {
        let accounts = ["a", "b"].map { SimulatedPlatform.Account(appKey: $0, secretKey: "secret of \($0)") }
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.accounts = accounts }) { platform in
            for account in accounts {
                var request = EvaluateRequest(platform, key: "k")
                request.account = account
                _ = try await exchange(request.bytes, with: platform)
            }
            #expect(platform.bills.map(\.appKey) == ["a", "b"])
        }
    }

    @Test func aClientThatVanishesHasPaid() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            platform.setProcessingTime(.seconds(3_600))
            do {
                let connection = try SimulatorConnection(to: platform.address)
                connection.send(EvaluateRequest(platform, key: "k").bytes)
                await until { platform.waitingPauses == 1 }
            }
            async let second = exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            await until { platform.waitingPauses == 2 }
            // Time in which the simulator sees that the first client has left, which is to change nothing.
            try await Task.sleep(for: .milliseconds(50))
            // Only the evaluation's pause, which was the first: whoever waits for it while all end is told that it runs.
            platform.state.pauses.end(1)
            let reply = try await second
            #expect(reply.status == 200)
            #expect(reply.field("Idempotency-Replayed") == "true")
            #expect(platform.billed == 1)
        }
    }

    @Test func halfARequestCostsNothing() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            do {
                let connection = try SimulatorConnection(to: platform.address)
                connection.send(Array(EvaluateRequest(platform, key: "k").bytes.dropLast(10)))
            }
            let reply = try await exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            #expect(reply.field("Idempotency-Replayed") == nil)
            #expect(platform.billed == 1)
            #expect(platform.requests.count == 1)
        }
    }

    @Test func stoppingEndsEveryWait() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            platform.setProcessingTime(.seconds(3_600))
            async let first = exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            await until { platform.requests.count == 1 }
            async let second = exchange(EvaluateRequest(platform, key: "k").bytes, with: platform)
            async let hanging = exchange(EvaluateRequest.hanging(platform), with: platform)
            await until { platform.requests.count == 3 }
            let start = ContinuousClock.now
            await platform.stop()
            _ = try await [first, second, hanging]
            // The default wait for a running key is 30 s.
            #expect(ContinuousClock.now - start < .seconds(120))
        }
    }
}
