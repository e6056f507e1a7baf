import Testing

@testable import GatewayCore

@Suite struct RealtimeSessionTests {
    private typealias Session = RealtimeSession

    private static func refusal(_ kind: PlatformCode.Kind?, _ value: Int = 50200) -> Session.Loss {
        let code = kind.map { PlatformCode(value: value, kind: $0, usualStatus: 502) }
        return .refusal(Session.PlatformRefusal(code: code, content: []))
    }

    @Test func aRoundGoesThroughTheStatesOfTheContract() {
        var bench = RoundBench()
        var states = [bench.session.state]
        bench.deliver()
        states.append(bench.session.state)
        bench.deliver()
        states.append(bench.session.state)
        bench.send([1, 2, 3])
        bench.end()
        states.append(bench.session.state)
        bench.deliver()
        states.append(bench.session.state)
        bench.session.close()
        states.append(bench.session.state)
        #expect(states == [.connecting, .connected, .started, .ending, .completed, .closed])
        #expect(bench.evaluated == [[1, 2, 3]] && bench.results == 1 && bench.closeCodes == [1000])
    }

    @Test func audioBeforeTheStartIsSentInOrderAndThenTheEnd() {
        var bench = RoundBench()
        bench.send([1])
        bench.send([2])
        bench.end()
        #expect(bench.session.state == .connecting)
        bench.settle()
        #expect(bench.evaluated == [[1, 2]] && bench.results == 1 && bench.faults.isEmpty)
    }

    @Test func keptAudioIsSplit() {
        var bench = RoundBench()
        let audio = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        bench.send(audio)
        bench.end()
        bench.settle()
        #expect(bench.largestFrame == 32_000 && bench.evaluated == [audio])
    }

    @Test func theScheduleDoublesToFourSecondsAndEndsAfterEight() {
        var bench = RoundBench()
        while bench.failures.isEmpty {
            bench.lose()
            bench.pass(.seconds(5))
            guard bench.dials < 20 else { break }
        }
        #expect(bench.delays == [0.5, 1, 2, 4, 4, 4, 4, 4].map { Duration.seconds($0) })
        #expect(bench.failures.map(\.reason) == [.reconnectsExhausted])
    }

    @Test(arguments: [(0.0, 350), (0.5, 500), (0.999_999, 650)])
    func jitterIsThirtyPercent(random: Double, milliseconds: Int) {
        var bench = RoundBench()
        bench.random = random
        bench.lose()
        let delay = bench.delays.first ?? .zero
        #expect(abs((delay - .milliseconds(milliseconds)) / .milliseconds(1)) < 1)
    }

    @Test func theCountBeginsAnewWithEachStartAndEndsAtTwentyFour() {
        var bench = RoundBench.started()
        for _ in 0..<24 {
            bench.lose()
            bench.pass(.seconds(1))
            bench.deliverAll()
        }
        #expect(bench.session.state == .started && bench.delays.allSatisfy { $0 == .milliseconds(500) })
        bench.lose()
        #expect(bench.failures.map(\.reason) == [.reconnectsExhausted])
    }

    @Test(arguments: [1000, 1002, 1003, 1007, 1008, 1009, 1010, 4000, 4401, 4999] as [UInt16])
    func finalCloseCode(code: UInt16) {
        var bench = RoundBench.started()
        bench.lose(.closed(code: code, reason: ""))
        #expect(bench.failures.count == 1 && bench.session.state == .failed)
    }

    @Test(arguments: [1001, 1006, 1011, 1012, 1013, 3000, nil] as [UInt16?])
    func otherCloseCode(code: UInt16?) {
        var bench = RoundBench.started()
        bench.lose(.closed(code: code, reason: ""))
        #expect(bench.failures.isEmpty && bench.session.state == .reconnecting && bench.closeCodes == [1001])
    }

    @Test(arguments: [PlatformCode.Kind.retryable, .inProgress])
    func retryableErrorFrameReconnects(kind: PlatformCode.Kind) {
        var bench = RoundBench.started()
        bench.lose(Self.refusal(kind))
        #expect(bench.session.state == .reconnecting)
    }

    @Test(arguments: [PlatformCode.Kind.final, .credentials, .credentialsOrClock, nil])
    func otherErrorFrameIsFinal(kind: PlatformCode.Kind?) {
        var bench = RoundBench.started()
        bench.lose(Self.refusal(kind))
        #expect(bench.failures.map(\.reason) == [.loss])
    }

    @Test func policyFailNeverReconnects() {
        var bench = RoundBench.started(policy: .fail)
        bench.lose()
        #expect(bench.failures.map(\.reason) == [.loss] && bench.dials == 1)
    }

    @Test func policyDropSendsOnlyWhatCameAfterTheReconnect() {
        var bench = RoundBench.started(policy: .drop)
        bench.send([1, 2])
        bench.lose()
        bench.send([3, 4, 5])
        bench.pass(.seconds(1))
        bench.deliverAll()
        bench.send([6])
        bench.end()
        bench.settle()
        #expect(bench.evaluated == [[6]] && bench.dropped == [3])
    }

    @Test func policyDropKeepsWhatCameBeforeTheFirstStart() {
        var bench = RoundBench(policy: .drop)
        bench.send([1, 2])
        bench.lose()
        bench.pass(.seconds(1))
        bench.end()
        bench.settle()
        #expect(bench.evaluated == [[1, 2]])
    }

    @Test func policyDropFailsBehindTheEnd() {
        var bench = RoundBench.started(policy: .drop)
        bench.send([1])
        bench.end()
        bench.lose()
        #expect(bench.failures.map(\.reason) == [.loss] && bench.failures.first?.mayBeExecuted == true)
    }

    @Test func beyondTheLimitOnlyTheNextReconnectFails() {
        var configuration = Session.Configuration()
        configuration.audioLimit = 10
        var bench = RoundBench.started(configuration)
        bench.send([UInt8](repeating: 1, count: 10))
        #expect(bench.session.keepsAudio)
        bench.send([2])
        #expect(!bench.session.keepsAudio)
        bench.send([3])
        var other = bench
        bench.end()
        bench.settle()
        #expect(bench.results == 1 && bench.evaluated.first?.count == 12)
        other.lose()
        #expect(other.failures.map(\.reason) == [.bufferOverflow])
    }

    @Test func withoutAConnectionTheLimitIsAFailure() {
        var configuration = Session.Configuration()
        configuration.audioLimit = 10
        var bench = RoundBench(configuration)
        bench.send([UInt8](repeating: 1, count: 11))
        #expect(bench.failures.map(\.reason) == [.bufferOverflow])
    }

    @Test func withoutRoomForWhatHasToWaitTheRoundFails() {
        var bench = RoundBench()
        bench.send([1])
        #expect(bench.session.loseKeptAudio()?.reason == .noRoom)
        var live = RoundBench.started()
        live.send([1])
        #expect(live.session.loseKeptAudio() == nil && live.session.state == .started)
    }

    @Test func aConnectionThatDoesNotStartIsGivenUp() {
        var bench = RoundBench()
        bench.deliver()
        bench.pass(.seconds(9))
        #expect(bench.session.state == .connected)
        bench.pass(.seconds(1))
        #expect(bench.session.state == .reconnecting)
    }

    @Test func aMissingPongLosesTheConnection() {
        var bench = RoundBench.started()
        bench.pass(.seconds(14))
        #expect(bench.pings == 0)
        bench.pass(.seconds(1))
        #expect(bench.pings == 1)
        bench.session.notePong()
        bench.pass(.seconds(15))
        #expect(bench.pings == 2)
        bench.pass(.seconds(29))
        #expect(bench.session.state == .started)
        bench.pass(.seconds(1))
        #expect(bench.session.state == .reconnecting)
    }

    @Test func aMissingResultIsAskedForAgainAndAtLastGivenUp() {
        var configuration = Session.Configuration()
        configuration.pongTimeout = .seconds(10_000)
        var bench = RoundBench.started(configuration)
        bench.send([1])
        bench.end()
        bench.pass(.seconds(300))
        #expect(bench.session.state == .reconnecting)
        bench.pass(.seconds(1))
        bench.deliver()
        bench.deliver()
        #expect(bench.session.state == .ending)
        bench.pass(.seconds(299))
        #expect(bench.failures.map(\.reason) == [.resultTimeout] && bench.failures.first?.mayBeExecuted == true)
    }

    @Test func aCodeProvesThatNothingWasEvaluated() {
        var bench = RoundBench.started()
        bench.send([1])
        bench.end()
        bench.lose(Self.refusal(.final, 42903))
        #expect(bench.failures.first?.mayBeExecuted == false)
    }

    @Test func whatMayHaveBeenEvaluatedStaysSo() {
        var bench = RoundBench.started()
        bench.send([1])
        bench.end()
        bench.lose()
        bench.pass(.seconds(1))
        bench.deliver()
        bench.lose(Self.refusal(.final, 40001))
        #expect(bench.failures.first?.mayBeExecuted == true)
    }

    @Test func progressDoesNotGoBackAfterAReplay() {
        var bench = RoundBench.started()
        for units in [2, 5] {
            bench.receive(.progress(ReadingProgress(readUnits: units, matchedUnits: units, newWords: 1)))
        }
        bench.lose()
        bench.pass(.seconds(1))
        bench.deliverAll()
        // Read 4, matched fewer, then 6 with words for units 4 and 5, of which the client has the first.
        bench.receive(.progress(ReadingProgress(readUnits: 4, matchedUnits: 4, newWords: 4)))
        bench.receive(.progress(ReadingProgress(readUnits: 5, matchedUnits: 4, newWords: 1)))
        bench.receive(.progress(nil))
        bench.receive(.progress(ReadingProgress(readUnits: 6, matchedUnits: 5, newWords: 2)))
        #expect(bench.forwarded == [0, 0, 0, 1])
    }

    @Test func progressMayGoBackAfterADrop() {
        var bench = RoundBench.started(policy: .drop)
        bench.receive(.progress(ReadingProgress(readUnits: 5, matchedUnits: 5)))
        bench.lose()
        bench.pass(.seconds(1))
        bench.deliverAll()
        bench.receive(.progress(ReadingProgress(readUnits: 1, matchedUnits: 1)))
        #expect(bench.forwarded == [0, 0])
    }

    @Test func anotherStartClearsTheAudio() {
        var bench = RoundBench.started()
        bench.send([1, 2])
        bench.restart()
        bench.send([3])
        #expect(bench.session.state == .connected)
        bench.end()
        bench.settle()
        #expect(bench.evaluated == [[3]])
    }

    @Test func cancellingClosesTheConnectionAndSaysNothing() {
        var bench = RoundBench.started()
        bench.send([1])
        bench.perform(bench.session.cancel())
        bench.end()
        bench.receive(.result)
        #expect(bench.session.state == .cancelled && bench.results == 0 && bench.failures.isEmpty)
        #expect(bench.evaluated.isEmpty && bench.closeCodes == [1000])
    }
}
