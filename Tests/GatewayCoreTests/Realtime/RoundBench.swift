import TestSupport

@testable import GatewayCore

/// A round between a client and a platform that both live in memory, on a clock of its own.
///
/// The platform bills at the end frame and gives the result of a round again that it has evaluated.
struct RoundBench {
    typealias Session = RealtimeSession

    /// A connection as the platform sees it.
    struct Connection {
        var hasStart = false
        var audio: [UInt8] = []
        var hasEnd = false
        /// What the platform has said and the network not delivered.
        var messages: [Session.Message] = [.connected]
    }

    var session: Session
    var now = ContinuousClock.now
    private(set) var connection: Connection?
    /// What the gateway keeps of the client's audio.
    private var kept: [UInt8] = []
    /// All that the client sent.
    private(set) var clientAudio: [UInt8] = []
    private(set) var evaluated: [[UInt8]] = []
    private(set) var forwarded: [Int] = []
    private(set) var results = 0
    private(set) var failures: [Session.Failure] = []
    private(set) var delays: [Duration] = []
    private(set) var dropped: [Int] = []
    private(set) var dials = 0
    private(set) var pings = 0
    private(set) var closeCodes: [UInt16] = []
    private(set) var largestFrame = 0
    /// What the platform sent to a connection that had not been started.
    private(set) var faults: [String] = []
    var random = 0.5
    /// Whether the platform's pong to the ping before the end stays away.
    var isEndUnderWay = false
    /// How many frames of kept audio the connection takes before it is full.
    var room = Int.max

    init(_ configuration: Session.Configuration = .init(), policy: BufferPolicy = .replay) {
        self.session = Session(configuration: configuration, policy: policy)
        self.perform(self.session.open(at: self.now))
    }

    /// A round that the platform has started.
    static func started(
        _ configuration: Session.Configuration = .init(),
        policy: BufferPolicy = .replay
    ) -> RoundBench {
        var bench = RoundBench(configuration, policy: policy)
        bench.deliverAll()
        return bench
    }

    /// Delivers the oldest thing that the platform has said.
    mutating func deliver() {
        guard let message = self.connection?.messages.first else { return }
        self.connection?.messages.removeFirst()
        self.receive(message)
    }

    mutating func deliverAll() {
        while self.connection?.messages.isEmpty == false { self.deliver() }
    }

    mutating func receive(_ message: Session.Message) {
        self.perform(self.session.receive(message, at: self.now, random: self.random))
    }

    mutating func lose(_ loss: Session.Loss = .transport("reset")) {
        self.perform(self.session.lose(loss, at: self.now, random: self.random))
    }

    mutating func send(_ audio: [UInt8]) {
        guard !self.session.isFull else { return }
        self.clientAudio += audio
        switch self.session.receiveAudio(audio.count) {
        case .send(let keeping):
            self.kept = keeping ? self.kept + audio : []
            self.platformReceives(audio)
        case .keep: self.kept += audio
        case .discard: break
        case .fail(let failure): self.perform([.fail(failure)])
        }
        if !self.session.keepsAudio { self.kept = [] }
    }

    mutating func restart() {
        self.perform(self.session.restart(at: self.now))
        self.clientAudio = []
        if !self.session.keepsAudio { self.kept = [] }
    }

    mutating func end() {
        self.perform(self.session.requestEnd(at: self.now))
    }

    /// Sends what waits while there is room.
    mutating func flush() {
        var room = self.room
        while room > 0, let range = self.session.nextAudio() {
            self.largestFrame = max(self.largestFrame, range.count)
            self.platformReceives(Array(self.kept[range]))
            room -= 1
        }
        self.perform(self.session.noteFlushed(at: self.now))
        if !self.session.keepsAudio { self.kept = [] }
    }

    mutating func pass(_ duration: Duration) {
        let end = self.now + duration
        while let deadline = self.session.deadline, deadline <= end {
            self.now = max(self.now, deadline)
            self.perform(self.session.fire(at: self.now, random: self.random))
        }
        self.now = end
    }

    /// Lets everything happen that is under way, and nothing else.
    mutating func settle() {
        self.room = .max
        for _ in 0..<1000 where !self.session.state.isTerminal {
            self.deliverAll()
            self.flush()
            guard !self.session.state.isTerminal, let deadline = self.session.deadline else { return }
            self.now = max(self.now, deadline)
            self.session.notePong()
            self.perform(self.session.fire(at: self.now, random: self.random))
        }
    }

    mutating func perform(_ actions: [Session.Action]) {
        for action in actions {
            switch action {
            case .dial:
                self.dials += 1
                self.connection = Connection()
            case .drop(let code):
                self.closeCodes.append(code)
                self.connection = nil
            case .sendStart:
                self.connection?.hasStart = true
                self.connection?.audio = []
                self.connection?.messages.append(.started)
            case .sendAudio: self.flush()
            case .sendEnd: self.platformEnds()
            case .ping: self.pings += 1
            case .forward(let count): self.forwarded.append(count)
            case .reconnecting(_, let delay, _): self.delays.append(delay)
            case .reconnected(let bytes): self.dropped.append(bytes)
            case .complete: self.results += 1
            case .fail(let failure): self.failures.append(failure)
            }
        }
    }

    private mutating func platformReceives(_ audio: [UInt8]) {
        guard let connection, connection.hasStart, !connection.hasEnd else {
            self.faults.append("audio without a start, or behind the end")
            return
        }
        self.connection?.audio += audio
    }

    private mutating func platformEnds() {
        guard let connection, connection.hasStart, !connection.hasEnd else {
            self.faults.append("an end without a start, or a second one")
            return
        }
        self.connection?.hasEnd = true
        if !self.isEndUnderWay { self.session.noteEndArrived() }
        // Of the same key and audio, the first evaluation stands.
        if !self.evaluated.contains(connection.audio) { self.evaluated.append(connection.audio) }
        self.connection?.messages.append(.result)
    }
}
