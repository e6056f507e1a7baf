import HTTPWire
import Testing

@testable import Daemon

@Suite struct StreamStateMachineTests {
    private func received(_ machine: inout StreamStateMachine, _ text: String) -> StreamStateMachine.Action {
        machine.received(Array(text.utf8))
    }

    private func failure(_ action: StreamStateMachine.Action) -> VerbFailure? {
        if case .fail(let failure) = action { failure } else { nil }
    }

    /// A conversation of which the server has accepted the start.
    private func started() -> StreamStateMachine {
        var machine = StreamStateMachine()
        _ = self.received(&machine, #"{"event":"connected","message":"stream channel ready"}"#)
        _ = self.received(&machine, #"{"event":"started"}"#)
        return machine
    }

    @Test func framesLeadFromTheStartToTheResult() throws {
        var machine = StreamStateMachine()
        guard case .start = self.received(&machine, #"{"event":"connected","message":"stream channel ready"}"#),
            case .sendAudio(let key) = self.received(&machine, #"{"event":"started","idempotencyKey":"k-1"}"#)
        else {
            Issue.record("it does not start")
            return
        }
        #expect(key == "k-1")
        let progress = #"{"eof":0,"result":{"bytes":16000,"progress":[{"word":"今","read":true,"matched":false}]}}"#
        guard case .show(let units) = self.received(&machine, progress) else {
            Issue.record("progress is not shown")
            return
        }
        #expect(units == [StreamFrame.Unit(word: "今", read: true, matched: false)])
        let result = #"{"event":"result","recordId":"eval_1","eof":1,"result":{"overall":88.9},"replayed":true}"#
        guard case .finish(let frame) = self.received(&machine, result) else {
            Issue.record("it does not finish")
            return
        }
        #expect(frame.recordId == "eval_1" && frame.replayed == true && frame.result?.overall == 88.9)
        guard case .nothing = machine.closed(.closed(WebSocketClose(.normalClosure))) else {
            Issue.record("the close behind the result counts")
            return
        }
    }

    @Test(arguments: [
        #"{"eof":0,"result":{"bytes":16000}}"#, #"{"event":"pong","ts":1}"#, #"{"event":"news"}"#,
        #"{"event":"started"}"#,
    ])
    func framesThatSayNothingNewAreIgnored(text: String) {
        var machine = self.started()
        guard case .nothing = self.received(&machine, text) else {
            Issue.record("\(text) does something")
            return
        }
    }

    @Test(arguments: [
        (40001, ExitCode.dataError), (40903, .dataError), (40100, .noPermission), (2003, .noPermission),
        (42901, .temporaryFailure), (50200, .temporaryFailure),
    ])
    func errorFrameEndsWithTheCodesExitCode(code: Int, exitCode: ExitCode) {
        var machine = self.started()
        let action = self.received(&machine, #"{"event":"error","code":\#(code),"message":"no"}"#)
        #expect(self.failure(action) == VerbFailure(exitCode, "error \(code): no"))
        guard case .nothing = machine.timedOut() else {
            Issue.record("there are two ends")
            return
        }
    }

    @Test func whatIsNoFrameEndsIt() {
        var machine = self.started()
        #expect(self.failure(self.received(&machine, "<html>"))?.exitCode == .dataError)
    }

    @Test func anEndOfTheConnectionIsNamed() throws {
        let close = WebSocketClose(try #require(WebSocketCloseCode(rawValue: 4401)), reason: "revoked")
        let ends: [(WebSocketEnd, String)] = [
            (.closedByPeer(close), "the gateway closed the connection with code 4401: revoked"),
            (.closedByPeer(.withoutCode), "the gateway closed the connection"),
            (.lost(.disconnected), "the connection to the gateway broke"),
            (.lost(.silent), "the gateway does not answer any more"),
        ]
        for (end, message) in ends {
            var machine = self.started()
            #expect(self.failure(machine.closed(end)) == VerbFailure(.ioError, message))
        }
    }

    @Test func aWaitThatIsTooLongIsNamed() {
        var machine = StreamStateMachine()
        #expect(self.failure(machine.timedOut())?.exitCode == .unavailable)
        machine = self.started()
        #expect(self.failure(machine.timedOut())?.exitCode == .temporaryFailure)
    }
}
