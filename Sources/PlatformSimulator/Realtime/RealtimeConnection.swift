import EventLoop
import HTTPWire

/// What opens a realtime session once the handshake has been answered.
struct RealtimeHandler: WebSocketHandler {
    let state: PlatformState
    let opening: PlatformSession.Opening
    /// How much longer evaluations take.
    let slowness: Duration
    let place: PlatformResponder.Place

    func run(_ channel: any WebSocketChannel) async {
        guard let loop = EventLoop.current else { preconditionFailure("handlers run on a loop") }
        await RealtimeConnection(self, channel, loop).run()
    }
}

/// A realtime session with its connection: performs what ``PlatformSession`` wishes.
///
/// `@unchecked Sendable`: confined to the loop of its channel, where all of its tasks run.
private final class RealtimeConnection: @unchecked Sendable {
    private let handler: RealtimeHandler
    private let channel: any WebSocketChannel
    private let loop: EventLoop
    private var session: PlatformSession
    private var isFrozen = false

    private var state: PlatformState { self.handler.state }

    init(_ handler: RealtimeHandler, _ channel: any WebSocketChannel, _ loop: EventLoop) {
        self.handler = handler
        self.channel = channel
        self.loop = loop
        self.session = PlatformSession(handler.opening)
    }

    /// Talks until the connection has ended; an evaluation that has begun goes on without it.
    func run() async {
        self.inLedger { $0.openSession($1) }
        await self.perform(self.session.open())
        while !self.isFrozen, let message = await self.channel.receive() {
            await self.perform(self.session.receive(message, now: self.state.unixMilliseconds))
        }
        self.session.end(await self.channel.untilEnd())
        self.note()
        self.inLedger { ledger, _ in ledger.closeSession() }
    }

    private func perform(_ actions: [PlatformSession.Action]) async {
        for action in actions {
            switch action {
            case .send(let text):
                await self.channel.send(WebSocketMessage(kind: .text, bytes: text))
            case .wait(let pause, let wait):
                _ = self.loop.run {
                    await self.state.pauses.sleep(for: pause)
                    await self.perform(self.session.waited(for: wait))
                }
            case .evaluate(let request, let key):
                let call = PaidCall(state: self.state, request: request, key: key, slowness: self.handler.slowness)
                _ = self.loop.run {
                    let outcome = await Self.outcome(of: call)
                    await self.perform(self.session.evaluated(outcome))
                }
            case .close(let close):
                self.channel.close(close)
            case .kill:
                self.channel.abort()
            case .freeze:
                self.isFrozen = true
                (self.channel as? WebSocketEndpoint)?.freeze()
            case .note:
                self.note()
            }
        }
    }

    private static func outcome(of call: PaidCall) async -> Result<Reply, PlatformError> {
        do throws(PlatformError) {
            return .success(try await call.reply())
        } catch {
            return .failure(error)
        }
    }

    private func note() {
        let summary = self.session.summary
        self.inLedger { $0.update($1, summary) }
    }

    /// Writes into the ledger, unless it is another one since a reset.
    private func inLedger(_ write: (inout Ledger, _ index: Int) -> Void) {
        let place = self.handler.place
        self.state.withLock { contents in
            if contents.epoch == place.epoch { write(&contents.ledger, place.index) }
        }
    }
}
