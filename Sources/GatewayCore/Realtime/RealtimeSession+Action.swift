extension RealtimeSession {
    /// The states of the contract (yugu, section 10.10).
    public enum State: String, Hashable, Sendable, CaseIterable {
        case idle
        case connecting
        case connected
        case started
        case ending
        case reconnecting
        case completed
        case failed
        case cancelled
        case closed

        /// Whether the round has come to its end.
        public var isTerminal: Bool {
            switch self {
            case .completed, .failed, .cancelled, .closed: true
            case .idle, .connecting, .connected, .started, .ending, .reconnecting: false
            }
        }

        /// Whether there is a connection, or one is being made.
        var hasConnection: Bool {
            switch self {
            case .connecting, .connected, .started, .ending: true
            case .idle, .reconnecting, .completed, .failed, .cancelled, .closed: false
            }
        }
    }

    /// What the platform says, as its dialect reads it.
    public enum Message: Sendable {
        /// The session is there; it waits for the parameters.
        case connected
        /// The parameters are accepted.
        case started
        /// How far the reading has come; nil in a frame that tells only of bytes.
        case progress(ReadingProgress?)
        /// The result.
        case result
        /// An error frame.
        case refusal(PlatformRefusal)
        /// What cannot be read.
        case malformed
        /// Anything else: it is ignored.
        case other
    }

    /// What the shell is to do, in this order.
    public enum Action: Sendable {
        /// Make a connection, signed afresh; tell ``RealtimeSession/receive(_:at:random:)`` what it says.
        case dial
        /// Let go of the connection, with this close code.
        case drop(closeCode: UInt16)
        /// Send the parameters.
        case sendStart
        /// Audio is due: send what ``RealtimeSession/nextAudio()`` gives while the connection takes it, then call
        /// ``RealtimeSession/noteFlushed(at:)``.
        case sendAudio
        /// Send the end frame.
        case sendEnd
        /// Send a protocol ping.
        case ping
        /// Hand the frame that was just received to the client, without the first so many entries of its `words`.
        case forward(droppingWords: Int)
        /// For log and metrics: another connection is made after this time.
        case reconnecting(attempt: Int, delay: Duration, cause: Loss)
        /// For log and metrics: another connection stands.
        case reconnected(droppedBytes: Int)
        /// The frame that was just received is the result; nothing follows.
        case complete
        /// There will be no result; nothing follows.
        case fail(Failure)
    }

    /// What becomes of audio that the client sent.
    public enum AudioFate: Sendable {
        /// It goes to the platform now; a copy is kept if another connection could need it.
        ///
        /// What is kept already can go when this is not.
        case send(keeping: Bool)
        /// It is kept and sent later.
        case keep
        /// It is lost, as the policy has it.
        case discard
        /// There is no room for it, and it would be needed: the round has failed.
        case fail(Failure)
    }
}
