internal import CLinux
internal import EventLoop
internal import HTTPWire
internal import Synchronization

/// What the connections of one loop share.
///
/// `@unchecked Sendable`: confined to the queue of `loop`, except the immutable members and the atomic counters.
final class ServerLoop: @unchecked Sendable {
    let loop: EventLoop
    let shared: ServerShared
    let responder: any HTTPResponder
    /// The same, when it may leave the rules.
    let irregularResponder: (any IrregularResponder)?
    private(set) var timeouts: ConnectionStateMachine.Timeouts
    private(set) var limits: HTTP1Limits

    /// Parses heads that arrive whole; a connection whose head comes in pieces gets a parser of its own.
    var parser: HTTP1RequestParser
    private(set) var isDraining = false

    /// What WebSocket connections share.
    let webSockets: WebSocketLoopShare
    let webSocketConfiguration: WebSocketConfiguration

    /// Connections whose answers leave at the end of the turn.
    private var unsent: [Connection] = []
    private var connections: [(any ServedConnection)?] = []
    private var dateSecond: Int64 = .min
    private var dateText = ""
    // Written on the loop only, read from anywhere.
    private let requests = Atomic<Int>(0)

    init(loop: EventLoop, shared: ServerShared, responder: any HTTPResponder, configuration: HTTPServer.Configuration) {
        self.loop = loop
        self.shared = shared
        self.responder = responder
        self.irregularResponder = responder as? any IrregularResponder
        self.timeouts = ConnectionStateMachine.Timeouts(configuration)
        self.limits = configuration.http1
        self.parser = HTTP1RequestParser(limits: configuration.http1)
        self.webSockets = WebSocketLoopShare(budget: shared.webSocketShares.whole)
        self.webSocketConfiguration = configuration.webSocket
    }

    /// How many requests were handed to the responder.
    ///
    /// Any thread.
    var requestCount: Int {
        self.requests.load(ordering: .relaxed)
    }

    func countRequest() {
        // No read-modify-write: this loop is the only writer.
        self.requests.store(self.requests.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// The current `Date`, made anew once a second.
    var date: String {
        let second = clinux_unix_seconds() + Int64(self.irregularResponder?.clockOffset ?? 0)
        if second != self.dateSecond {
            self.dateSecond = second
            self.dateText = HTTPDate(unixSeconds: second).text
        }
        return self.dateText
    }

    func takeParser() -> HTTP1RequestParser {
        defer { self.renewParser() }
        return self.parser
    }

    func renewParser() {
        self.parser = HTTP1RequestParser(limits: self.limits)
    }

    /// Takes over other time-outs and limits, for whatever begins from now on.
    ///
    /// On the loop.
    func change(to configuration: HTTPServer.Configuration) {
        self.timeouts = ConnectionStateMachine.Timeouts(configuration)
        self.limits = configuration.http1
        self.renewParser()
    }

    /// Lets a connection send its answer when everything else of this turn is done.
    ///
    /// The answers of a turn leave together: each wakes its client, which takes the core from the rest of the turn where
    /// the two share one.
    func sendAtEndOfTurn(_ connection: Connection) {
        self.unsent.append(connection)
        if self.unsent.count == 1 { self.loop.atEndOfTurn { self.sendUnsent() } }
    }

    private func sendUnsent() {
        let unsent = self.unsent
        self.unsent = []
        for connection in unsent { connection.sendNow() }
    }

    // MARK: - Connections

    /// Takes over an accepted socket.
    ///
    /// On the loop.
    func open(_ descriptor: Int32, peerAddress: String, admission: ServerShared.Admission) {
        let connection = Connection(descriptor, on: self, peerAddress: peerAddress, admission: admission)
        let index = Int(descriptor)
        while self.connections.count <= index {
            self.connections.append(nil)
        }
        self.connections[index] = connection
        connection.open()
    }

    func forget(_ connection: any ServedConnection) {
        self.connections[Int(connection.descriptor)] = nil
        self.shared.closed(connection.admission)
    }

    /// Puts another in the place of the connection with the same descriptor.
    func replace(with connection: any ServedConnection) {
        self.connections[Int(connection.descriptor)] = connection
    }

    /// Closes what is idle; the rest closes behind its answer.
    ///
    /// On the loop.
    func drain() {
        self.isDraining = true
        // A connection that waits to become a WebSocket is told as one.
        self.sendUnsent()
        for connection in self.connections {
            connection?.drain()
        }
    }

    /// Closes WebSocket connections, properly.
    ///
    /// On the loop.
    func closeWebSockets() {
        for connection in self.connections {
            (connection as? WebSocketConnection)?.close()
        }
    }

    /// Closes everything.
    ///
    /// On the loop.
    func closeAll() {
        // First, so that no request follows the answers that leave now.
        self.isDraining = true
        for connection in self.connections {
            (connection as? Connection)?.drain()
        }
        self.sendUnsent()
        for connection in self.connections {
            connection?.abort()
        }
    }
}

/// A socket that a server loop keeps, whatever is spoken on it.
protocol ServedConnection: AnyObject {
    var descriptor: Int32 { get }
    var admission: ServerShared.Admission { get }

    /// The server wants to end: closes what is idle.
    func drain()

    /// Closes and cancels what is going on.
    func abort()
}
