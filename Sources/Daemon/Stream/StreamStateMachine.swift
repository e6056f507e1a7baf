internal import HTTPWire

/// The client's side of one native realtime evaluation: frames go in, what to do comes out (contract yugu, section 10.1).
struct StreamStateMachine {
    /// What to do.
    enum Action {
        case nothing
        /// The server is there: the start frame is due.
        case start
        /// The server takes audio; the key that it made, if it made one.
        case sendAudio(key: String?)
        case show([StreamFrame.Unit])
        case finish(StreamFrame)
        case fail(VerbFailure)
    }

    private enum State {
        case connecting
        case starting
        case started
        case over
    }

    private var state = State.connecting

    /// A text frame has come.
    mutating func received(_ bytes: [UInt8]) -> Action {
        guard self.state != .over else { return .nothing }
        guard let frame = StreamFrame.decode(bytes) else {
            return self.fail(VerbFailure(.dataError, "the gateway sent a frame that is not understood"))
        }
        if frame.event == "error" {
            let code = frame.code.map { " \($0)" } ?? ""
            return self.fail(
                VerbFailure(Self.exitCode(of: frame.code), "error\(code): \(frame.message ?? "no message")")
            )
        }
        switch (self.state, frame.event) {
        case (.connecting, "connected"):
            self.state = .starting
            return .start
        case (.starting, "started"):
            self.state = .started
            return .sendAudio(key: frame.idempotencyKey)
        case (.started, _) where frame.eof == 1 || frame.event == "result":
            self.state = .over
            return .finish(frame)
        case (.started, _):
            return frame.result?.progress.map { .show($0) } ?? .nothing
        default:
            return .nothing
        }
    }

    /// The connection has ended.
    mutating func closed(_ end: WebSocketEnd) -> Action {
        guard self.state != .over else { return .nothing }
        let how: String
        switch end {
        case .closedByPeer(let close), .closed(let close):
            let code = close.code.map { " with code \($0.rawValue)" } ?? ""
            how = "the gateway closed the connection\(code)\(close.reason.isEmpty ? "" : ": " + close.reason)"
        case .violated(let error): how = "the gateway broke the WebSocket protocol: \(error.message)"
        case .lost(.silent): how = "the gateway does not answer any more"
        case .lost: how = "the connection to the gateway broke"
        }
        return self.fail(VerbFailure(.ioError, how))
    }

    /// What was waited for has not come.
    mutating func timedOut() -> Action {
        switch self.state {
        case .over: .nothing
        case .connecting, .starting:
            self.fail(VerbFailure(.unavailable, "the gateway did not say that the evaluation has started"))
        case .started: self.fail(VerbFailure(.temporaryFailure, "no result came"))
        }
    }

    private mutating func fail(_ failure: VerbFailure) -> Action {
        self.state = .over
        return .fail(failure)
    }

    private static func exitCode(of code: Int?) -> ExitCode {
        switch code {
        case 40100?, 40300?, (2001...2011)?: .noPermission
        case 40901?, 42900?, 42901?, 50000?, 50200?, (3001...3003)?: .temporaryFailure
        default: .dataError
        }
    }
}
