internal import EventLoop
package import HTTPWire

/// A responder that may leave the rules of HTTP: the platform simulator's, for tests of what clients make of it.
package protocol IrregularResponder: HTTPResponder {
    /// How far the clock behind `Date` is off, in seconds.
    var clockOffset: Int { get }

    /// How an answer is to be sent, or nil for the regular way. Asked on the connection's loop before the encoding.
    func irregularity(of response: inout HTTPResponse) -> IrregularAnswer?
}

/// How an answer leaves when it leaves irregularly.
package struct IrregularAnswer {
    /// Makes what is sent from the encoded head and the content; nothing at all is possible.
    package var makePieces: (_ head: [UInt8], _ body: [UInt8]) -> [[UInt8]]
    /// How long to wait before each piece but the first.
    package var pause: Duration
    /// Whether the connection is closed behind the last piece, whatever the head says.
    package var closesBehind: Bool

    /// Takes the parts.
    package init(
        pause: Duration = .zero,
        closesBehind: Bool,
        makePieces: @escaping (_ head: [UInt8], _ body: [UInt8]) -> [[UInt8]]
    ) {
        self.makePieces = makePieces
        self.pause = pause
        self.closesBehind = closesBehind
    }
}

/// What an irregular answer still has to send.
final class IrregularOutput {
    var pieces: ArraySlice<[UInt8]>
    let pause: Duration
    let closesBehind: Bool

    init(_ answer: IrregularAnswer, head: [UInt8], body: [UInt8]) {
        self.pieces = answer.makePieces(head, body)[...]
        self.pause = answer.pause
        self.closesBehind = answer.closesBehind
    }
}

extension Connection {
    /// Sends an answer in the way that it asks for.
    func send(_ output: IrregularOutput) {
        self.irregularOutput = output
        if let first = output.pieces.popFirst() {
            self.send(first, [])
        } else {
            _ = self.continueIrregularly()
        }
    }

    /// Goes on when a piece is out; false when there is none and the regular way goes on.
    func continueIrregularly() -> Bool {
        guard let output = self.irregularOutput else { return false }
        guard let next = output.pieces.popFirst() else {
            self.irregularOutput = nil
            if output.closesBehind {
                self.close()
                return true
            }
            return false
        }
        let serial = self.serial
        self.loop.schedule(at: self.loop.now + output.pause) {
            // Without effect when the client has left meanwhile.
            guard self.serial == serial, self.irregularOutput != nil else { return }
            self.send(next, [])
        }
        return true
    }
}
