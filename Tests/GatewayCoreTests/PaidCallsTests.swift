import Foundation
import HTTPWire
import Store
import TestSupport
import Testing

@testable import GatewayCore

@Suite struct PaidCallsTests {
    private static let result = #"{"recordId":"eval_1"}"#
    private static let ok = ScriptedTransport.Step.answer(200, result)

    @Test func secondRequestIsReplayedWithoutAskingThePlatform() async throws {
        let bench = try PaidCallBench([Self.ok])
        let first = try await bench.perform()
        let second = try await bench.perform()
        #expect(first.status == 200 && !first.isReplayed && first.attempts == 1)
        #expect(second.status == 200 && second.isReplayed)
        #expect(second.body == Self.result)
        #expect(bench.transport.requests.count == 1)
        _ = await bench.close()
    }

    @Test func replaySurvivesARestart() async throws {
        let bench = try PaidCallBench([Self.ok])
        _ = try await bench.perform()
        let directory = await bench.close()
        let next = try PaidCallBench([], in: directory)
        let reply = try await next.perform()
        #expect(reply.body == Self.result && reply.isReplayed)
        _ = await next.close()
    }

    @Test func otherContentUnderTheSameKeyIsRefused() async throws {
        let bench = try PaidCallBench([Self.ok])
        _ = try await bench.perform()
        let reply = try await bench.perform(content: "other audio")
        #expect(reply.status == 409 && reply.code == 40903)
        #expect(bench.transport.requests.count == 1)
        _ = await bench.close()
    }

    @Test func equalKeysOfDifferentUsersNeverMeet() async throws {
        let bench = try PaidCallBench([Self.ok, .answer(200, #"{"recordId":"eval_2"}"#)])
        let first = try await bench.perform(user: "anna")
        let second = try await bench.perform(user: "ben")
        #expect(first.body != second.body)
        let keys = bench.transport.requests.map { $0.fields[.idempotencyKey] }
        #expect(keys.count == 2 && keys[0] != keys[1])
        _ = await bench.close()
    }

    @Test func twentyAtOnceAreOneCall() async throws {
        let gate = Gate()
        let bench = try PaidCallBench([.hold(gate, 200, Self.result)])
        let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 0..<20 { group.addTask { try await bench.perform() } }
            await gate.arrived()
            await until { bench.calls.flights.participants(of: "key-1") >= 20 }
            gate.open()
            var replies: [Reply] = []
            for try await reply in group { replies.append(reply) }
            return replies
        }
        #expect(replies.allSatisfy { $0.body == Self.result && $0.status == 200 })
        #expect(replies.filter { !$0.isReplayed }.count == 1)
        #expect(bench.transport.requests.count == 1)
        _ = await bench.close()
    }

    @Test func aWaiterGivesUpAfterThirtySeconds() async throws {
        let gate = Gate()
        let bench = try PaidCallBench([.hold(gate, 200, Self.result)])
        async let first = bench.perform()
        await gate.arrived()
        let second = Task { try await bench.perform() }
        await until { bench.calls.flights.participants(of: "key-1") >= 2 }
        // The waiter's timer starts in a task of its own; the clock moves on until it has run.
        await until {
            guard bench.calls.flights.participants(of: "key-1") == 2 else { return true }
            bench.clock.advance(by: .seconds(30))
            return false
        }
        let reply = try await second.value
        #expect(reply.status == 409 && reply.code == 40901)
        #expect(reply.response.fields[.retryAfter] == "2")
        gate.open()
        #expect(try await first.status == 200)
        _ = await bench.close()
    }

    @Test func aClientThatLeavesAfterSendingLeavesItsResultBehind() async throws {
        let gate = Gate()
        let bench = try PaidCallBench([.hold(gate, 200, Self.result)])
        let first = Task { try await bench.perform() }
        await gate.arrived()
        first.cancel()
        _ = try await first.value
        gate.open()
        await bench.calls.drain()
        let reply = try await bench.perform()
        #expect(reply.body == Self.result && reply.isReplayed)
        #expect(bench.transport.requests.count == 1)
        _ = await bench.close()
    }

    @Test func aRefusalFreesTheKey() async throws {
        let bench = try PaidCallBench([.answer(400, #"{"code":40001,"message":"short"}"#), Self.ok])
        let first = try await bench.perform()
        #expect(first.status == 400 && first.body == #"{"code":40001,"message":"short"}"#)
        #expect(try bench.row() == nil)
        let second = try await bench.perform()
        #expect(second.status == 200 && !second.isReplayed)
        _ = await bench.close()
    }

    @Test func everyAttemptHasItsOwnNonceAndTheSameKey() async throws {
        let busy = ScriptedTransport.Step.answer(500, #"{"code":50000}"#)
        let bench = try PaidCallBench([busy, busy, Self.ok])
        let reply = try await bench.perform()
        #expect(reply.status == 200 && reply.attempts == 3)
        let requests = bench.transport.requests
        #expect(Set(requests.map { $0.fields[HTTPField.Name(literal: "X-Nonce")] }).count == 3)
        #expect(Set(requests.map { $0.fields[.idempotencyKey] }).count == 1)
        #expect(bench.clock.slept == [.milliseconds(200), .milliseconds(400)])
        _ = await bench.close()
    }

    @Test func aPlatformThatCannotBeReachedFreesTheKey() async throws {
        let down = ScriptedTransport.Step.fail(.connect, bytesSent: 0)
        let bench = try PaidCallBench([down, down, down, Self.ok])
        let first = try await bench.perform()
        #expect(first.status == 502 && first.code == 50200 && first.reason == nil)
        #expect(try bench.row() == nil)
        #expect(try await bench.perform().status == 200)
        _ = await bench.close()
    }

    @Test(arguments: [
        ScriptedTransport.Step.fail(.reset, bytesSent: 10), .fail(.timeout, bytesSent: 10),
        .fail(.malformed, bytesSent: 10), .answer(500, "<html>"), .answer(200, #"{"recordId":"half"#),
    ])
    func withoutAnAnswerOrACodeTheOutcomeIsUnknown(step: ScriptedTransport.Step) async throws {
        let bench = try PaidCallBench([step, step, step, Self.ok])
        let first = try await bench.perform()
        #expect(first.status == 502 && first.code == 50200 && first.reason == "outcome_unknown")
        #expect(first.response.fields[.retryAfter] == "2")
        let row = try #require(try bench.row())
        #expect(row.answer == nil)
        // The same key asks the platform again, under the same upstream key.
        let second = try await bench.perform()
        #expect(second.body == Self.result)
        #expect(bench.transport.requests.last?.fields[.idempotencyKey] == row.upstreamKey)
        _ = await bench.close()
    }

    @Test func aRowInDoubtStaysWhateverThePlatformSaysLater() async throws {
        let reset = ScriptedTransport.Step.fail(.reset, bytesSent: 10)
        let bench = try PaidCallBench([reset, reset, reset, .answer(400, #"{"code":40001}"#), Self.ok])
        _ = try await bench.perform()
        #expect(try await bench.perform().status == 400)
        #expect(try bench.row() != nil)
        #expect(try await bench.perform().body == Self.result)
        _ = await bench.close()
    }

    @Test func aCallOfUnknownOutcomeIsNotRepeatedWhereThePlatformDoesNotDeduplicate() async throws {
        let bench = try PaidCallBench([.fail(.reset, bytesSent: 10), Self.ok])
        #expect(try await bench.perform(isDeduplicated: false).reason == "outcome_unknown")
        let second = try await bench.perform(isDeduplicated: false)
        #expect(second.status == 409 && second.code == 40900 && second.reason == "outcome_unknown")
        #expect(bench.transport.requests.count == 1)
        _ = await bench.close()
    }

    @Test func aCallOfUnknownOutcomeIsAskedOfItsOwnAccountOnly() async throws {
        let reset = ScriptedTransport.Step.fail(.reset, bytesSent: 10)
        let bench = try PaidCallBench([reset, reset, reset])
        _ = try await bench.perform()
        let directory = await bench.close()
        let other = try PaidCallBench([Self.ok], appKey: "ak_other", in: directory)
        let reply = try await other.perform()
        #expect(reply.status == 409 && reply.reason == "outcome_unknown")
        #expect(other.transport.requests.isEmpty)
        _ = await other.close()
    }

    @Test func afterTwentyThreeHoursAnUnknownOutcomeIsLost() async throws {
        let reset = ScriptedTransport.Step.fail(.reset, bytesSent: 10)
        let bench = try PaidCallBench([reset, reset, reset, Self.ok])
        _ = try await bench.perform()
        bench.clock.advance(by: .seconds(23 * 3600))
        #expect(try await bench.perform().status == 409)
        #expect(bench.transport.requests.count == 3)
        _ = await bench.close()
    }

    @Test func aKeyThatRunsAtThePlatformIsPolledWithoutUsingAttempts() async throws {
        let running = ScriptedTransport.Step.answer(409, #"{"code":40901}"#, fields: [(.retryAfter, "2")])
        let bench = try PaidCallBench([running, running, running, running, Self.ok])
        let reply = try await bench.perform()
        #expect(reply.status == 200 && reply.attempts == 5)
        #expect(bench.clock.slept.allSatisfy { $0 == .seconds(2) })
        _ = await bench.close()
    }

    @Test func refusedCredentialsAreOurFaultAndTheAccountWaits() async throws {
        let bench = try PaidCallBench([.answer(401, #"{"code":2010}"#), Self.ok])
        let first = try await bench.perform()
        #expect(first.status == 502 && first.code == 50200 && first.body.contains(#""source":"gateway""#))
        #expect(!bench.account.isReady)
        #expect(try await bench.perform().status == 502)
        #expect(bench.transport.requests.count == 1)
        bench.clock.advance(by: .seconds(10))
        #expect(try await bench.perform().status == 200)
        #expect(bench.account.isReady)
        _ = await bench.close()
    }

    @Test func callsThatWaitedForASlotAreNotSentWithRefusedCredentials() async throws {
        let gate = Gate()
        let bench = try PaidCallBench([.hold(gate, 401, #"{"code":2010}"#), Self.ok], concurrency: 1)
        async let first = bench.perform(key: "key-1")
        await gate.arrived()
        let second = Task { try await bench.perform(key: "key-2") }
        await until { bench.account.slots.waitingCount > 0 }
        gate.open()
        #expect(try await first.status == 502)
        let reply = try await second.value
        #expect(reply.status == 502 && reply.reason == "account_not_ready")
        #expect(bench.transport.requests.count == 1)
        _ = await bench.close()
    }

    @Test func aPlatformClockOneHourAheadIsLearnedFromItsDate() async throws {
        let refusal = ScriptedTransport.Step.answer(
            401,
            #"{"code":2003}"#,
            fields: [(.date, "Fri, 15 Jan 2027 09:00:00 GMT")]
        )
        let bench = try PaidCallBench([refusal, Self.ok])
        #expect(try await bench.perform().status == 200)
        let stamps = bench.transport.requests.compactMap { $0.fields[HTTPField.Name(literal: "X-Timestamp")] }
        #expect(stamps == ["1800000000", "1800003600"])
        _ = await bench.close()
    }

    @Test func aSecondSignatureRefusalIsTheAccountsFault() async throws {
        let refusal = ScriptedTransport.Step.answer(401, #"{"code":2003}"#)
        let bench = try PaidCallBench([refusal, refusal, Self.ok])
        let reply = try await bench.perform()
        #expect(reply.status == 502 && reply.attempts == 2)
        #expect(!bench.account.isReady)
        _ = await bench.close()
    }

    @Test func settledAsBilledIsNeverSentAgain() async throws {
        let reset = ScriptedTransport.Step.fail(.reset, bytesSent: 10)
        let bench = try PaidCallBench([reset, reset, reset, Self.ok])
        _ = try await bench.perform()
        let scope = CallScope(client: "school", user: nil, key: try #require(IdempotencyKey("key-1")))
        _ = try await bench.calls.settle(scope, isBilled: true)
        let reply = try await bench.perform()
        #expect(reply.status == 409 && reply.code == 40900 && reply.reason == "settled_billed")
        _ = await bench.close()
    }

    @Test func settledAsNotBilledFreesTheKey() async throws {
        let reset = ScriptedTransport.Step.fail(.reset, bytesSent: 10)
        let bench = try PaidCallBench([reset, reset, reset, Self.ok])
        _ = try await bench.perform()
        let scope = CallScope(client: "school", user: nil, key: try #require(IdempotencyKey("key-1")))
        _ = try await bench.calls.settle(scope, isBilled: false)
        #expect(try bench.row() == nil)
        #expect(try await bench.perform(content: "new audio").status == 200)
        _ = await bench.close()
    }

    @Test func aRunningCallCannotBeSettled() async throws {
        let gate = Gate()
        let bench = try PaidCallBench([.hold(gate, 200, Self.result)])
        async let first = bench.perform()
        await gate.arrived()
        let scope = CallScope(client: "school", user: nil, key: try #require(IdempotencyKey("key-1")))
        await #expect(throws: (any Error).self) { try await bench.calls.settle(scope, isBilled: false) }
        gate.open()
        #expect(try await first.status == 200)
        _ = await bench.close()
    }

    @Test func aRequestDuringASettlementIsToldToComeBack() async throws {
        let reset = ScriptedTransport.Step.fail(.reset, bytesSent: 10)
        let bench = try PaidCallBench([reset, reset, reset, Self.ok])
        _ = try await bench.perform()
        let scope = CallScope(client: "school", user: nil, key: try #require(IdempotencyKey("key-1")))
        bench.store.pauseWriter()
        let settling = Task { try await bench.calls.settle(scope, isBilled: false) }
        await until { bench.calls.isRunning(scope) }
        let during = Task { try await bench.perform() }
        await until { bench.calls.flights.participants(of: "key-1") > 0 }
        bench.store.resumeWriter()
        let reply = try await during.value
        #expect(reply.status == 409 && reply.code == 40901 && reply.response.fields[.retryAfter] == "2")
        #expect(try await settling.value == .deleted)
        #expect(try await bench.perform().status == 200)
        _ = await bench.close()
    }

    @Test func aWaitingRequestLetsGoOfItsContent() async throws {
        let gate = Gate()
        let bench = try PaidCallBench([.hold(gate, 200, Self.result)])
        let owner = ContentWatch()
        let waiter = ContentWatch()
        let first = Task { try await bench.perform(watch: owner) }
        await gate.arrived()
        let second = Task { try await bench.perform(watch: waiter) }
        await until { bench.calls.flights.participants(of: "key-1") >= 2 }
        await until(within: .seconds(10)) { !waiter.isKept }
        #expect(!waiter.isKept)
        #expect(owner.isKept)
        gate.open()
        #expect(try await first.value.status == 200)
        #expect(try await second.value.isReplayed)
        _ = await bench.close()
    }

    @Test func aCallThatWaitedForItsTurnIsNotSentIntoAStoreInTrouble() async throws {
        let gate = Gate()
        let bench = try PaidCallBench(
            [.hold(gate, 200, Self.result), Self.ok],
            concurrency: 1,
            probeInterval: .seconds(60)
        )
        let first = Task { try await bench.perform() }
        await gate.arrived()
        let second = Task { try await bench.perform(key: "key-2") }
        await until { bench.account.slots.waitingCount > 0 }
        bench.calls.trouble.note(StoreError(code: .unavailable, message: "scripted"))
        gate.open()
        #expect(try await first.value.status == 200)
        let reply = try await second.value
        #expect(reply.status == 503 && reply.code == 50000)
        #expect(bench.transport.requests.count == 1)
        #expect(try bench.row(key: "key-2") == nil)
        _ = await bench.close()
    }

    @Test func aDoubtIsWrittenDownAlsoWhenACodeEndsTheCall() async throws {
        let bench = try PaidCallBench([.fail(.reset, bytesSent: 10), .answer(400, #"{"code":40001}"#)])
        #expect(try await bench.perform().status == 400)
        #expect(try #require(try bench.row()).isUnresolved)
        _ = await bench.close()
    }

    @Test func aRetryAfterDateIsReadByThePlatformsClock() async throws {
        let refusal = ScriptedTransport.Step.answer(
            401,
            #"{"code":2003}"#,
            fields: [(.date, "Fri, 15 Jan 2027 07:00:00 GMT")]
        )
        let busy = ScriptedTransport.Step.answer(
            429,
            #"{"code":42900}"#,
            fields: [(.retryAfter, "Fri, 15 Jan 2027 07:00:03 GMT")]
        )
        let bench = try PaidCallBench([refusal, busy, Self.ok])
        #expect(try await bench.perform().status == 200)
        #expect(bench.clock.slept == [.seconds(3)])
        _ = await bench.close()
    }
}
