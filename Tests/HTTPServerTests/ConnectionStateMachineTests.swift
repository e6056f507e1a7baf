import Testing

@testable import HTTPServer

@Suite struct ConnectionStateMachineTests {
    private let start = ContinuousClock.now
    private let timeouts = ConnectionStateMachine.Timeouts(
        head: .seconds(10),
        body: BodyPace(idle: .seconds(30), total: .seconds(100), rate: 1000, grace: .seconds(40)),
        keepAlive: .seconds(75),
        write: .seconds(20),
        linger: .seconds(10),
        lingerIdle: .seconds(2),
        lingerBytes: 100
    )

    private func at(_ seconds: Int) -> ContinuousClock.Instant {
        self.start + .seconds(seconds)
    }

    private func opened() -> ConnectionStateMachine {
        var machine = ConnectionStateMachine()
        machine.opened(at: self.start, self.timeouts)
        return machine
    }

    private func handling(hasContent: Bool = false, isPersistent: Bool = true) -> ConnectionStateMachine {
        var machine = self.opened()
        machine.receivedHead(hasContent: hasContent, isPersistent: isPersistent)
        return machine
    }

    // MARK: - What follows an answer

    @Test func aPersistentConnectionGoesOn() {
        var machine = self.handling()
        #expect(!machine.wantsInput)
        #expect(machine.answered(hasInput: false) == true)
        #expect(machine.wroteAll(at: self.at(5), self.timeouts) == .nextRequest)
        #expect(machine.wantsInput)
        #expect(machine.deadline == self.at(80))
    }

    @Test func theLastRequestOfAClientIsFollowedByAPlainClose() {
        var machine = self.handling(isPersistent: false)
        #expect(machine.answered(hasInput: false) == false)
        #expect(machine.wroteAll(at: self.start, self.timeouts) == .close)
    }

    @Test(arguments: [true, false])
    func unreadContentIsFollowedByALingeringClose(isPersistent: Bool) {
        var machine = self.handling(hasContent: true, isPersistent: isPersistent)
        #expect(machine.answered(hasInput: false) == false)
        #expect(machine.wroteAll(at: self.start, self.timeouts) == .linger)
        #expect(machine.wantsInput)
    }

    @Test func contentReadToItsEndLetsTheConnectionGoOn() {
        var machine = self.handling(hasContent: true)
        machine.beganReading(at: self.start, self.timeouts)
        #expect(machine.wantsInput)
        machine.finishedContent()
        #expect(!machine.wantsInput)
        #expect(machine.answered(hasInput: false) == true)
    }

    @Test func abandonedContentEndsTheConnection() {
        var machine = self.handling(hasContent: true)
        machine.beganReading(at: self.start, self.timeouts)
        machine.abandonedContent()
        #expect(!machine.wantsInput)
        #expect(machine.answered(hasInput: false) == false)
        #expect(machine.wroteAll(at: self.start, self.timeouts) == .linger)
    }

    @Test func aRejectionEndsTheConnection() {
        var machine = self.opened()
        machine.rejected()
        #expect(machine.answered(hasInput: true) == false)
        #expect(machine.wroteAll(at: self.start, self.timeouts) == .linger)
    }

    // MARK: - Ends of input

    @Test func theEndOfInputCallsForWhatThePhaseNeeds() {
        var idle = self.opened()
        #expect(idle.peerEnded() == .close)

        var head = self.opened()
        head.receivedPartOfHead(at: self.start, self.timeouts)
        #expect(head.peerEnded() == .rejectHead)

        var waiting = self.handling()
        #expect(waiting.peerEnded() == .nothing)
        #expect(waiting.answered(hasInput: false) == false)
        #expect(waiting.wroteAll(at: self.start, self.timeouts) == .close)

        var pipelined = self.handling()
        #expect(pipelined.peerEnded() == .nothing)
        #expect(pipelined.answered(hasInput: true) == true)
        #expect(pipelined.wroteAll(at: self.start, self.timeouts) == .nextRequest)
        #expect(pipelined.takesInput)
        #expect(!pipelined.wantsInput)

        var reading = self.handling(hasContent: true)
        reading.beganReading(at: self.start, self.timeouts)
        #expect(reading.peerEnded() == .failContent)
    }

    // MARK: - Deadlines

    @Test func aHeadHasItsTimeFromItsFirstByteOn() {
        var machine = self.opened()
        #expect(machine.expired(at: self.at(74)) == .nothing)
        machine.receivedPartOfHead(at: self.at(74), self.timeouts)
        machine.receivedPartOfHead(at: self.at(80), self.timeouts)
        #expect(machine.deadline == self.at(84))
        #expect(machine.expired(at: self.at(83)) == .nothing)
        #expect(machine.expired(at: self.at(84)) == .rejectHead)
    }

    @Test func anIdleConnectionIsClosed() {
        var machine = self.opened()
        #expect(machine.expired(at: self.at(75)) == .close)
    }

    @Test func contentProlongsItsOwnTime() {
        var machine = self.handling(hasContent: true)
        #expect(machine.deadline == nil)
        machine.beganReading(at: self.at(10), self.timeouts)
        machine.receivedContent(1_000_000, at: self.at(35), self.timeouts)
        #expect(machine.expired(at: self.at(64)) == .nothing)
        #expect(machine.expired(at: self.at(65)) == .failContent)
        #expect(machine.deadline == nil)
    }

    @Test func contentThatTricklesIsGivenUp() {
        var machine = self.handling(hasContent: true)
        machine.beganReading(at: self.at(10), self.timeouts)
        // 500 bytes a second, 1000 are wanted: the 40 s of grace end at 50, and 12,000 bytes have earned 12 s more.
        machine.receivedContent(12_000, at: self.at(34), self.timeouts)
        #expect(machine.deadline == self.at(62))
        machine.receivedContent(500, at: self.at(35), self.timeouts)
        #expect(machine.deadline == self.start + .milliseconds(62_500))
        #expect(machine.expired(at: self.at(63)) == .failContent)
    }

    @Test func contentHasAnEndHoweverFastItComes() {
        var machine = self.handling(hasContent: true)
        machine.beganReading(at: self.at(10), self.timeouts)
        for second in 11..<110 { machine.receivedContent(1_000_000, at: self.at(second), self.timeouts) }
        #expect(machine.deadline == self.at(110))
        #expect(machine.expired(at: self.at(110)) == .failContent)
    }

    @Test func theNextContentHasItsOwnTime() {
        var machine = self.handling(hasContent: true)
        machine.beganReading(at: self.at(10), self.timeouts)
        machine.receivedContent(1, at: self.at(35), self.timeouts)
        machine.finishedContent()
        #expect(machine.answered(hasInput: false) == true)
        #expect(machine.wroteAll(at: self.at(105), self.timeouts) == .nextRequest)
        machine.receivedHead(hasContent: true, isPersistent: true)
        machine.beganReading(at: self.at(106), self.timeouts)
        #expect(machine.deadline == self.at(136))
    }

    @Test func aRateOfZeroAsksForNothing() {
        let pace = BodyPace(idle: .seconds(30), total: .seconds(100), rate: 0, grace: .zero)
        #expect(pace.deadline(of: .init(start: self.start), within: nil, at: self.at(60)) == self.at(90))
    }

    @Test func aConsumerMayHaveLessPatienceForAWhile() {
        var machine = self.handling(hasContent: true)
        machine.beganReading(within: .seconds(20), at: self.start, self.timeouts)
        #expect(machine.deadline == self.at(20))
        machine.receivedContent(100_000, within: .seconds(20), at: self.at(15), self.timeouts)
        #expect(machine.deadline == self.at(20), "what comes prolongs nothing")
        machine.receivedContent(1, within: nil, at: self.at(16), self.timeouts)
        #expect(machine.deadline == self.at(46), "the pause again")
        machine.receivedContent(1, within: .seconds(1000), at: self.at(90), self.timeouts)
        #expect(machine.deadline == self.at(100), "never more than the server has")
    }

    @Test func anAnswerOnlyHasToMakeProgress() {
        var machine = self.handling()
        _ = machine.answered(hasInput: false)
        machine.wroteSome(at: self.at(10), self.timeouts)
        machine.wroteSome(at: self.at(29), self.timeouts)
        #expect(machine.expired(at: self.at(48)) == .nothing)
        #expect(machine.expired(at: self.at(49)) == .close)
    }

    @Test func lingeringIsBoundedInTimeInSilenceAndInBytes() {
        var machine = self.handling(hasContent: true)
        _ = machine.answered(hasInput: false)
        _ = machine.wroteAll(at: self.start, self.timeouts)
        #expect(machine.deadline == self.at(2))
        #expect(machine.threwAway(10, at: self.at(1), self.timeouts) == true)
        #expect(machine.deadline == self.at(3))
        #expect(machine.threwAway(10, at: self.at(9), self.timeouts) == true)
        #expect(machine.deadline == self.at(10))
        #expect(machine.threwAway(80, at: self.at(9), self.timeouts) == false)
        #expect(machine.expired(at: self.at(10)) == .close)
    }

    // MARK: - Draining

    @Test func drainingClosesIdleConnectionsOnly() {
        var idle = self.handling()
        #expect(idle.answered(hasInput: false) == true)
        #expect(idle.wroteAll(at: self.start, self.timeouts) == .nextRequest)
        #expect(idle.drain(at: self.start) == true)
        var busy = self.handling()
        #expect(busy.drain(at: self.start) == false)
        #expect(busy.answered(hasInput: false) == false)
        #expect(busy.wroteAll(at: self.start, self.timeouts) == .linger)
    }

    @Test func drainingLetsAConnectionSendItsFirstRequest() {
        var silent = self.opened()
        #expect(silent.drain(at: self.at(2)) == false)
        #expect(silent.deadline == self.at(3))
        #expect(silent.expired(at: self.at(3)) == .close)
        var late = self.opened()
        #expect(late.drain(at: self.start) == false)
        late.receivedHead(hasContent: false, isPersistent: true)
        #expect(late.deadline == nil)
        // It is the last one there.
        #expect(late.answered(hasInput: false) == false)
    }

    @Test func drainingWhileAnAnswerLeavesEndsTheConnectionBehindIt() {
        var machine = self.handling()
        #expect(machine.answered(hasInput: false) == true)
        #expect(machine.drain(at: self.start) == false)
        #expect(machine.wroteAll(at: self.start, self.timeouts) == .linger)
    }
}
