import HTTPWire
import Testing

@testable import PlatformSimulator

/// What goes wrong in realtime sessions on demand (contract yugu, section 15).
@Suite struct SessionFaultTests {
    static let understood: [(String, SessionFault)] = [
        ("ws-kill-after:3", .at(.frame(3), .kill)), ("ws-close-after:3", .at(.frame(3), .close(.internalError))),
        ("ws-close-after:3:4000", .at(.frame(3), .close(.application(4000)))), ("ws-silent:2", .at(.frame(2), .silent)),
        ("ws-error", .at(.end, .error(50_200))), ("ws-error:40901", .at(.end, .error(40_901))),
        ("ws-error:none", .at(.end, .error(nil))), ("ws-delay-result:50", .delayResult(.milliseconds(50))),
        ("ws-refuse", .refuse), ("ws-kill-open", .at(.open, .kill)), ("ws-kill-end", .at(.end, .kill)),
        ("ws-kill-bytes:32000", .at(.bytes(32_000), .kill)), ("ws-close-end:1000", .at(.end, .close(.normalClosure))),
        ("ws-close-billed:1000", .at(.billed, .close(.normalClosure))), ("ws-freeze-after:4", .at(.frame(4), .freeze)),
        ("ws-error-after:2:42901", .at(.frame(2), .error(42_901))),
        ("ws-say-after:2:%7B%7D", .at(.frame(2), .say("{}"))),
        ("ws-delay-started:5", .delayStarted(.milliseconds(5))),
        ("ws-delay-connected:5", .delayConnected(.milliseconds(5))),
        ("ws-progress:back", .progress(.back)), ("ws-progress:bytes", .progress(.bytes)),
    ]

    @Test(arguments: Self.understood) func textsAreUnderstood(text: String, fault: SessionFault) {
        #expect(Fault(text) == .session(fault))
    }

    @Test(arguments: [
        "ws-", "ws-kill", "ws-kill-after", "ws-kill-after:0", "ws-kill-after:x", "ws-kill-after:1:2",
        "ws-close-end:999", "ws-close-end:1006", "ws-close-end:x", "ws-error:7", "ws-refuse:1", "ws-progress",
        "ws-progress:up",
        "ws-delay-result", "ws-say-end", "ws-dance-end", "ws-kill-never",
    ])
    func otherTextsAreNot(text: String) {
        #expect(Fault(text) == nil)
    }

    @Test func onlySessionsTakeTheirFaultsFromTheQueue() {
        var queue = FaultQueue()
        _ = queue.append([
            FaultQueue.Item(match: nil, text: "ws-refuse", fault: .session(.refuse), times: 1),
            FaultQueue.Item(match: nil, text: "drop", fault: .drop, times: 2),
        ])
        #expect(queue.take(for: "/")?.fault == .drop)
        #expect(queue.take(for: "/", isSession: true)?.fault == .session(.refuse))
        #expect(queue.take(for: "/", isSession: true)?.fault == .drop)
    }

    /// What the machine asks its shell for, apart from frames.
    private static func wishes(_ fault: String, evaluates: Bool = true) -> ([String], [String], Int) {
        let session = TestedSession(.native, fault: fault)
        session.startRound(PlatformSessionTests.start, PlatformSessionTests.speech)
        if evaluates { _ = session.evaluated(#"{"eof":1}"#) }
        let wishes = session.others.map { action in
            switch action {
            case .kill: "kill"
            case .freeze: "freeze"
            case .close(let close): "close \(close.code?.rawValue ?? 0)"
            case .wait(_, let wait): "wait \(wait)"
            default: "?"
            }
        }
        return (session.sent.filter { !$0.contains("connected") }, wishes, session.orders.count)
    }

    @Test(arguments: [
        ("ws-kill-open", 0), ("ws-kill-after:1", 0), ("ws-kill-after:5", 1), ("ws-kill-bytes:6400", 1),
        ("ws-kill-end", 1),
    ])
    func aConnectionIsResetBeforeAnythingIsPaid(fault: String, started: Int) {
        let (sent, wishes, orders) = Self.wishes(fault)
        #expect(sent == [String](repeating: #"{"event":"started"}"#, count: started))
        #expect(wishes == ["kill"] && orders == 0)
    }

    @Test(arguments: [("ws-kill-billed", "kill"), ("ws-close-billed:1000", "close 1000")])
    func aConnectionEndsWhenEverythingIsPaid(fault: String, wish: String) {
        let (sent, wishes, orders) = Self.wishes(fault)
        #expect(sent == [#"{"event":"started"}"#] && wishes == [wish] && orders == 1)
    }

    @Test func closesCarryTheirCode() {
        #expect(Self.wishes("ws-close-after:2:1008").1 == ["close 1008"])
        #expect(Self.wishes("ws-close-end").1 == ["close 1011"])
    }

    @Test func errorsComeInPlaceOfTheResultOrInBetween() {
        let (atEnd, _, orders) = Self.wishes("ws-error:42901", evaluates: false)
        #expect(orders == 0 && atEnd.last == #"{"event":"error","code":42901,"message":"injected fault"}"#)
        let (between, _, evaluated) = Self.wishes("ws-error-after:3:none")
        #expect(evaluated == 1 && between[1] == #"{"event":"error","message":"injected fault"}"#)
    }

    @Test func silenceAndDeadLinks() {
        let silent = Self.wishes("ws-silent:1")
        #expect(silent.0.isEmpty && silent.1.isEmpty && silent.2 == 0)
        #expect(Self.wishes("ws-freeze-after:3").1 == ["freeze"])
    }

    @Test(arguments: ["ws-freeze-after:4", "ws-silent:4"]) func whatEndsInSilenceIsNotTold(fault: String) {
        let session = TestedSession(.native, fault: fault)
        session.open()
        _ = session.text(PlatformSessionTests.start)
        _ = session.audio(PlatformSessionTests.speech)
        _ = session.text(PlatformSessionTests.end)
        #expect(session.text(#"{"cmd":"ping"}"#) == [])
        #expect(session.orders.count == 1 && session.evaluated(#"{"eof":1}"#) == [])
    }

    @Test func startedAndResultWaitForTheirTime() {
        let session = TestedSession(.native, fault: "ws-delay-started:50")
        session.open()
        #expect(session.text(PlatformSessionTests.start) == [])
        #expect(session.waited(for: .started) == [#"{"event":"started"}"#])
        #expect(session.waited(for: .started) == [])
        let late = TestedSession(.native, fault: "ws-delay-result:50")
        late.startRound(PlatformSessionTests.start, PlatformSessionTests.speech)
        #expect(late.evaluated("{}") == [])
        #expect(late.waited(for: .result) == ["{}"])
    }
}
