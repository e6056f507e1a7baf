import Testing

@testable import GatewayCore
@testable import Store

@Suite struct UnwrittenAnswersTests {
    private static func answer(_ number: UInt64, body: Int = 100) -> NewAnswer {
        let claim = NewClaim(
            scope: ScopeHash(1, number),
            client: "school",
            user: nil,
            key: "key-\(number)",
            operation: "evaluate",
            fingerprint: [],
            appKey: "ak",
            upstreamKey: "up",
            sentAt: 1,
            flight: FlightID(process: 1, serial: number)
        )
        let row = ClaimedRow(
            id: Int64(number),
            firstSentAt: 1,
            appKey: "ak",
            upstreamKey: "up",
            isUnresolved: false,
            isNew: true
        )
        return NewAnswer(
            claim: claim,
            row: row,
            status: 200,
            contentType: "text/plain",
            body: [UInt8](repeating: 0, count: body),
            answeredAt: 1
        )
    }

    private static func numbers(_ answers: [NewAnswer]) -> [UInt64] { answers.map(\.claim.flight.serial) }

    @Test func numberAndBytesAreBounded() {
        var limits = UnwrittenAnswers.Limits()
        limits.waiting = (count: 2, bytes: 10_000)
        var answers = UnwrittenAnswers(limits: limits)
        let added = [
            answers.add(Self.answer(1)), answers.add(Self.answer(2, body: 9_000)), answers.add(Self.answer(3)),
            answers.add(Self.answer(4)),
        ]
        #expect(added == [true, false, true, false])
        answers.remove(Self.answer(1))
        #expect(answers.add(Self.answer(5)) && Self.numbers(answers.waitingAnswers) == [3, 5])
        #expect(answers.largestWaiting == 100)
    }

    @Test func onlyRepeatedRefusalsOrAFinalOneSetAside() {
        var answers = UnwrittenAnswers()
        for number in 1...2 as ClosedRange<UInt64> { _ = answers.add(Self.answer(number)) }
        for _ in 1...2 {
            guard case .waits = answers.refuse(Self.answer(1), isFinal: false) else {
                Issue.record("set aside too early")
                return
            }
        }
        _ = answers.refuse(Self.answer(1), isFinal: false)
        _ = answers.refuse(Self.answer(2), isFinal: true)
        #expect(answers.isNoneWaiting && answers.asideCount == 2)
        answers.retryAside()
        #expect(answers.waitingCount == 2 && answers.asideCount == 0)
    }

    @Test func whatIsSetAsideIsBoundedAndTheOldestGoes() {
        var limits = UnwrittenAnswers.Limits()
        limits.aside = (count: 2, bytes: 10_000)
        var answers = UnwrittenAnswers(limits: limits)
        #expect(answers.setAside(Self.answer(1)).isEmpty && answers.setAside(Self.answer(2)).isEmpty)
        #expect(Self.numbers(answers.setAside(Self.answer(3))) == [1])
        #expect(Self.numbers(answers.setAside(Self.answer(4, body: 20_000))) == [2, 3, 4])
        #expect(answers.setAside(Self.answer(5, body: 8_000)).isEmpty)
        #expect(Self.numbers(answers.dropAside { _ in true }) == [5])
        #expect(answers.setAside(Self.answer(6, body: 8_000)).isEmpty, "what is gone takes no room")
    }
}
