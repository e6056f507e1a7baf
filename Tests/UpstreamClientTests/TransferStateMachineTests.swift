import HTTPWire
import Testing

@testable import UpstreamClient

@Suite struct TransferStateMachineTests {
    typealias Machine = TransferStateMachine

    private static func machine(
        bodyCount: Int = 0,
        isRepeatable: Bool = false,
        isSecure: Bool = false,
        limit: Int = 1000
    ) -> Machine {
        Machine(
            Machine.Request(
                bodyCount: bodyCount,
                isRepeatable: isRepeatable,
                isSecure: isSecure,
                isHead: false,
                maximumResponseBody: limit,
                maximumResponseHead: 4096,
                timeout: .seconds(10)
            )
        )
    }

    private static func end(
        _ cause: Machine.End.Cause,
        uploaded: Int = 0,
        headSent: Int = 0,
        elapsed: Duration = .zero,
        isReused: Bool = false
    ) -> Machine.End {
        Machine.End(
            cause: cause,
            detail: "words",
            uploaded: uploaded,
            headSent: headSent,
            elapsed: elapsed,
            isReused: isReused
        )
    }

    private static func take(_ lines: [String], _ machine: inout Machine) -> Bool {
        lines.allSatisfy { line in Array("\(line)\r\n".utf8).withUnsafeBytes { machine.takeHeadLine($0) } }
    }

    // The macros cannot call what mutates.

    private static func start(_ machine: inout Machine) -> Bool {
        machine.start()
    }

    private static func takeBody(_ count: Int, _ machine: inout Machine) -> Bool {
        machine.takeBody(count)
    }

    private static func meetUselessConnection(_ machine: inout Machine) -> Bool {
        machine.meetUselessConnection()
    }

    private static func error(_ verdict: Machine.Verdict) -> HTTPTransportError? {
        guard case .failure(let error) = verdict else { return nil }
        return error
    }

    private static func isRetry(_ verdict: Machine.Verdict) -> Bool {
        guard case .retryOnFreshConnection = verdict else { return false }
        return true
    }

    // MARK: - What was sent

    @Test func nothingWasSentBeforeTheRequestBegan() {
        let machine = Self.machine(bodyCount: 10)
        for cause in [Machine.End.Cause.resolve, .connect, .tls, .timeout, .broken, .other, .malformed] {
            let error = Self.error(machine.verdict(at: Self.end(cause, uploaded: 10, headSent: 100)))
            #expect(error?.bytesSent == 0)
        }
    }

    @Test func onAPlainConnectionWhatTheKernelTookWasSent() {
        var machine = Self.machine(bodyCount: 10)
        #expect(Self.start(&machine))
        machine.hand(10)
        #expect(Self.error(machine.verdict(at: Self.end(.broken, uploaded: 4)))?.bytesSent == 4)
        #expect(Self.error(machine.verdict(at: Self.end(.broken, uploaded: 0)))?.bytesSent == 0)
    }

    @Test func underTLSWhatWasHandedOutWasSent() {
        var machine = Self.machine(bodyCount: 10, isSecure: true)
        #expect(Self.start(&machine))
        #expect(Self.error(machine.verdict(at: Self.end(.broken)))?.bytesSent == 0)
        machine.hand(10)
        #expect(Self.error(machine.verdict(at: Self.end(.broken)))?.bytesSent == 10)
        #expect(Self.error(machine.verdict(at: Self.end(.timeout)))?.bytesSent == 10)
    }

    @Test func withoutContentTheHeadCounts() {
        var machine = Self.machine()
        #expect(Self.start(&machine))
        #expect(Self.error(machine.verdict(at: Self.end(.broken)))?.bytesSent == 0)
        #expect(Self.error(machine.verdict(at: Self.end(.broken, headSent: 90)))?.bytesSent == 90)
    }

    @Test func refusedRewindTellsThatContentWasSent() {
        var machine = Self.machine(bodyCount: 10)
        #expect(Self.start(&machine))
        machine.hand(10)
        let error = Self.error(machine.verdict(at: Self.end(.rewindRefused, uploaded: 0)))
        #expect(error?.reason == .reset)
        #expect(error?.bytesSent == 10)
    }

    @Test func truncatedHeadThatLibcurlAcceptsStillTellsWhatWasSent() {
        var machine = Self.machine(bodyCount: 10)
        #expect(Self.start(&machine))
        machine.hand(10)
        #expect(Self.take(["HTTP/1.1 200 OK", "A: b"], &machine))
        let error = Self.error(machine.verdict(at: Self.end(.complete, uploaded: 10)))
        #expect(error?.reason == .malformed)
        #expect(error?.bytesSent == 10)
    }

    // MARK: - Sent once

    @Test func libcurlMayBeginAgainOnlyWhileNoContentWasHandedOut() {
        var machine = Self.machine(bodyCount: 10)
        #expect(Self.start(&machine))
        #expect(Self.start(&machine))
        machine.hand(1)
        #expect(Self.start(&machine) == false)
        let error = Self.error(machine.verdict(at: Self.end(.stopped)))
        #expect(error?.reason == .reset)
        #expect(error?.bytesSent == 1)
    }

    @Test func requestWithoutContentBeginsAgainOnlyWhenItIsIdempotent() {
        var get = Self.machine(isRepeatable: true)
        #expect(Self.start(&get))
        #expect(Self.start(&get))
        var post = Self.machine(isRepeatable: false)
        #expect(Self.start(&post))
        #expect(Self.start(&post) == false)
        #expect(Self.error(post.verdict(at: Self.end(.stopped)))?.bytesSent == 1)
    }

    @Test func deadPooledConnectionIsReplacedOnce() {
        var machine = Self.machine(bodyCount: 10)
        #expect(Self.start(&machine))
        #expect(Self.isRetry(machine.verdict(at: Self.end(.broken, isReused: true))))
        machine.restart()
        #expect(Self.start(&machine))
        #expect(Self.isRetry(machine.verdict(at: Self.end(.broken, isReused: true))) == false)
    }

    @Test func nothingIsReplacedOnceContentLeftOrAnAnswerBegan() {
        var sent = Self.machine(bodyCount: 10)
        #expect(Self.start(&sent))
        sent.hand(10)
        #expect(Self.isRetry(sent.verdict(at: Self.end(.broken, uploaded: 1, isReused: true))) == false)
        var secure = Self.machine(bodyCount: 10, isSecure: true)
        #expect(Self.start(&secure))
        secure.hand(10)
        #expect(Self.isRetry(secure.verdict(at: Self.end(.broken, uploaded: 0, isReused: true))) == false)
        var answered = Self.machine(bodyCount: 10)
        #expect(Self.start(&answered))
        #expect(Self.take(["HTTP/1.1 413 Content Too Large"], &answered))
        #expect(Self.isRetry(answered.verdict(at: Self.end(.broken, isReused: true))) == false)
        var fresh = Self.machine(bodyCount: 10)
        #expect(Self.start(&fresh))
        #expect(Self.isRetry(fresh.verdict(at: Self.end(.broken, isReused: false))) == false)
    }

    @Test func connectionWithUnaskedBytesIsReplacedWhateverTheMethod() {
        for count in [0, 10] {
            var machine = Self.machine(bodyCount: count)
            #expect(Self.meetUselessConnection(&machine) == false)
            #expect(Self.isRetry(machine.verdict(at: Self.end(.stopped, isReused: true))))
            machine.restart()
            #expect(Self.meetUselessConnection(&machine))
        }
    }

    // MARK: - Reasons

    @Test func answerIsOnlyWhatIsCompleteByItsOwnFraming() {
        var machine = Self.machine(bodyCount: 10)
        #expect(Self.start(&machine))
        #expect(machine.isAnswered == false)
        #expect(Self.take(["HTTP/1.1 200 OK", "Content-Length: 5", ""], &machine))
        #expect(Self.takeBody(4, &machine))
        #expect(Self.error(machine.verdict(at: Self.end(.complete)))?.reason == .malformed)
        #expect(Self.takeBody(1, &machine))
        guard case .answer(let status, _) = machine.verdict(at: Self.end(.complete)) else {
            Issue.record("no answer")
            return
        }
        #expect(status == 200)
        #expect(Self.error(machine.verdict(at: Self.end(.broken)))?.reason == .reset)
    }

    @Test func closeDelimitedAnswerUnderTLSNeedsAnOrderlyEnd() {
        var machine = Self.machine(isSecure: true)
        #expect(Self.start(&machine))
        #expect(Self.take(["HTTP/1.1 200 OK", ""], &machine))
        #expect(machine.isAnswered == false)
        machine.endOrderly()
        #expect(machine.isAnswered)
    }

    @Test func largeAnswerIsRefusedAtItsHeadOrWhereItPassesTheLimit() {
        var declared = Self.machine(limit: 5)
        #expect(Self.take(["HTTP/1.1 200 OK", "Content-Length: 6", ""], &declared) == false)
        #expect(Self.error(declared.verdict(at: Self.end(.stopped)))?.reason == .tooLarge)
        var undeclared = Self.machine(limit: 5)
        #expect(Self.take(["HTTP/1.1 200 OK", ""], &undeclared))
        #expect(Self.takeBody(5, &undeclared))
        #expect(Self.takeBody(1, &undeclared) == false)
        #expect(Self.error(undeclared.verdict(at: Self.end(.stopped)))?.reason == .tooLarge)
    }

    @Test func timeoutBeforeTheConnectionStoodIsOneOfConnecting() {
        var machine = Self.machine(bodyCount: 10)
        #expect(Self.error(machine.verdict(at: Self.end(.timeout, elapsed: .seconds(2))))?.reason == .connect)
        #expect(Self.error(machine.verdict(at: Self.end(.timeout, elapsed: .seconds(10))))?.reason == .timeout)
        #expect(Self.start(&machine))
        #expect(Self.error(machine.verdict(at: Self.end(.timeout, elapsed: .seconds(2))))?.reason == .timeout)
    }

    @Test func ourOwnFaultOutweighsWhatLibcurlSays() {
        var machine = Self.machine(bodyCount: 10)
        machine.failBodySource()
        #expect(Self.error(machine.verdict(at: Self.end(.stopped)))?.reason == .refused)
        var plain = Self.machine(bodyCount: 10)
        plain.refuseAddress()
        let error = Self.error(plain.verdict(at: Self.end(.connect)))
        #expect(error?.reason == .refused)
        #expect(error?.detail.contains("loopback") == true)
    }
}
