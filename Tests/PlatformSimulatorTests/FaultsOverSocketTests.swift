import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

/// Every fault verb over real sockets, and the control paths.
@Suite struct FaultsOverSocketTests {
    @Test func statusesComeWithCodeMessageAndRetryAfter() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let reply = try await SimulatorCall.evaluate(
                "status:429:code=42901:retryAfter=7:message=zu%20viele%3A%20w%C3%A4hrend",
                platform
            )
            #expect(reply.status == 429)
            #expect(reply.field("Retry-After") == "7")
            #expect(reply.code == 42_901)
            let json = try reply.json()
            #expect(json["message"] as? String == "zu viele: während")
            #expect(json["timestamp"] as? Int != nil)
            let engine = try await SimulatorCall.evaluate("status:500:detail=%5B2001%5D%20x", platform)
            #expect(engine.status == 500)
            #expect(engine.text == #"{"detail":"[2001] x"}"#)
            let page = try await SimulatorCall.evaluate("status:502:raw=html", platform)
            #expect(page.status == 502)
            #expect(page.field("Content-Type") == "text/html")
            #expect(page.text.hasPrefix("<html>"))
            #expect(platform.billed == 0)
        }
    }

    @Test func faultsActBeforeCredentialsAreLookedAt() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            var request = EvaluateRequest(platform)
            request.signature = "wrong"
            request.fields = [("X-Sim-Fault", "status:503")]
            try await exchange(request.bytes, with: platform).expect(status: 503)
        }
    }

    @Test func dropClosesWithoutAByte() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let reply = try await SimulatorCall.evaluate("drop", key: "k", platform)
            #expect(reply.bytes.isEmpty)
            #expect(reply.isClosed)
            #expect(platform.billed == 0)
            #expect(platform.requests.first?.status == nil)
        }
    }

    @Test func billDropBillsAndStoresAndClosesWithoutAByte() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let reply = try await SimulatorCall.evaluate("bill-drop", key: "k", platform)
            #expect(reply.bytes.isEmpty)
            #expect(reply.isClosed)
            #expect(platform.billedByKey == ["k": 1])
            let second = try await SimulatorCall.evaluate(nil, key: "k", platform)
            #expect(second.field("Idempotency-Replayed") == "true")
            #expect(second.recordID == platform.requests.first?.recordID)
            #expect(platform.billed == 1)
        }
    }

    /// The case that HTTP libraries repair on their own: a kept-alive connection dies behind its second request.
    @Test func billDropOnTheSecondRequestOfAConnection() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            try platform.inject("bill-drop", match: "/api/v1/evaluate")
            let connection = try SimulatorConnection(to: platform.address)
            connection.send(EvaluateRequest.control("GET", "/healthz"))
            #expect(connection.receive().status == 200)
            connection.send(EvaluateRequest(platform, key: "k").bytes)
            let reply = connection.receive()
            #expect(reply.bytes.isEmpty)
            #expect(reply.isClosed)
            #expect(platform.billedByKey == ["k": 1])
        }
    }

    @Test func hangNeverAnswers() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let reply = try await SimulatorCall.evaluate("hang", key: "k", platform, atMost: .milliseconds(200))
            #expect(reply.bytes.isEmpty)
            #expect(!reply.isClosed)
            #expect(platform.billed == 0)
            // The key is free meanwhile.
            try await SimulatorCall.evaluate(nil, key: "k", platform).expect(status: 200)
        }
    }

    @Test func garbageIsNotHTTP() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let reply = try await SimulatorCall.evaluate("garbage", platform)
            #expect(!reply.bytes.isEmpty)
            #expect(!reply.bytes.starts(with: Array("HTTP/".utf8)))
            #expect(reply.isClosed)
            #expect(platform.billed == 0)
        }
    }

    @Test(arguments: [25, -25])
    func lengthIsOffByThatMuch(offset: Int) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            var request = EvaluateRequest(platform, key: "k")
            request.fields = [("X-Sim-Fault", "length:\(offset)")]
            let connection = try SimulatorConnection(to: platform.address)
            connection.send(request.bytes)
            let reply = RawReply(bytes: try connection.receiveToEnd(), isClosed: true)
            let declared = try #require(reply.field("Content-Length").flatMap { Int($0) })
            #expect(declared == reply.body.count + offset)
            #expect(reply.status == 200)
            #expect(platform.billedByKey == ["k": 1])
            let replay = try await SimulatorCall.evaluate(nil, key: "k", platform)
            #expect(replay.body == reply.body)
        }
    }

    @Test func trickleSendsTheWholeAnswerSlowly() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let whole = try await SimulatorCall.evaluate(nil, key: "k", platform)
            let start = ContinuousClock.now
            var request = EvaluateRequest(platform, key: "k")
            request.fields = [("X-Sim-Fault", "trickle:4")]
            let connection = try SimulatorConnection(to: platform.address)
            connection.send(request.bytes)
            let reply = connection.receive()
            #expect(reply.body == whole.body)
            // 64 slices with a pause before each.
            #expect(ContinuousClock.now - start >= .milliseconds(64 * 4))
            // The connection goes on.
            connection.send(EvaluateRequest.control("GET", "/healthz"))
            #expect(connection.receive().status == 200)
        }
    }

    @Test func delayLeavesTheKeyFreeAndSlowTakesIt() async throws {
        try await EvaluateOverSocketTests.withPlatform(.instant { $0.runningWait = .zero }) { platform in
            async let slow = SimulatorCall.evaluate("slow:3600000", key: "s", platform)
            async let delayed = SimulatorCall.evaluate("delay:3600000", key: "d", platform)
            await until { platform.waitingPauses == 2 }
            try await SimulatorCall.evaluate(nil, key: "s", platform).expect(code: 40_901)
            let quick = try await SimulatorCall.evaluate(nil, key: "d", platform)
            #expect(quick.status == 200)
            #expect(quick.field("Idempotency-Replayed") == nil)
            platform.endAllPauses()
            try await slow.expect(status: 200)
            let late = try await delayed
            #expect(late.field("Idempotency-Replayed") == "true")
            #expect(platform.billedByKey == ["d": 1, "s": 1])
        }
    }

    @Test func clockSetsDateAndWindowOffUntilTheReset() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let first = try await SimulatorCall.evaluate("clock:3600", platform)
            #expect(first.code == 2003)
            let date = try #require(first.field("Date").flatMap(Self.date))
            #expect(abs(date.timeIntervalSinceNow - 3_600) < 30)
            var request = EvaluateRequest(platform)
            request.timestamp += 3_600
            try await exchange(request.bytes, with: platform).expect(status: 200)
            platform.reset()
            let last = try await SimulatorCall.evaluate(nil, platform)
            #expect(last.status == 200)
            let lastDate = try #require(last.field("Date").flatMap(Self.date))
            #expect(abs(lastDate.timeIntervalSinceNow) < 30)
        }
    }

    private static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: text)
    }

    @Test func rotateSecretMakesTheOldOneWrongUntilTheReset() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            try await SimulatorCall.evaluate("rotate-secret:new%20one", platform).expect(code: 2003)
            var request = EvaluateRequest(platform)
            request.account.secretKey = "new one"
            try await exchange(request.bytes, with: platform).expect(status: 200)
            platform.reset()
            try await SimulatorCall.evaluate(nil, platform).expect(status: 200)
        }
    }

    @Test func aFaultMayStandInTheQuery() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            var request = EvaluateRequest(platform)
            request.path += "?a=1&simFault=status%3A503"
            try await exchange(request.bytes, with: platform).expect(status: 503)
        }
    }

    @Test func anUnknownFaultIsSaid() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let reply = try await SimulatorCall.evaluate("statsu:503", platform)
            #expect(reply.status == 400)
            #expect(reply.text.contains("unknown fault"))
            #expect(throws: SimulatedPlatform.UnknownFault.self) { try platform.inject("statsu:503") }
        }
    }

    @Test func queuedFaultsAreForTheirPathsAndUsedUp() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let queued = try await SimulatorCall.control(
                "POST",
                "/__sim/faults",
                #"{"faults":[{"match":"/api/v1/report","fault":"status:502"},{"match":"/api/v1/evaluate","fault":"status:503","times":2}],"processingMs":1}"#,
                platform
            )
            #expect(queued.text == #"{"queued":2}"#)
            for status in [503, 503, 200] {
                try await SimulatorCall.evaluate(nil, platform).expect(status: status)
            }
            let report = EvaluateRequest.report("eval_1", platform.account)
            try await exchange(report, with: platform).expect(status: 502)
            #expect(platform.waitingFaults == 0)
        }
    }

    @Test(arguments: [
        "", "[]", "{", #"{"faults":{}}"#, #"{"faults":[{"fault":"oops"}]}"#, #"{"faults":["drop"]}"#,
        #"{"faults":[{"fault":"drop","times":0}]}"#, #"{"processingMs":-1}"#,
    ])
    func controlRefusesWhatItDoesNotUnderstand(json: String) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            try await SimulatorCall.control("POST", "/__sim/faults", json, platform).expect(status: 400)
            #expect(platform.waitingFaults == 0)
        }
    }
}
