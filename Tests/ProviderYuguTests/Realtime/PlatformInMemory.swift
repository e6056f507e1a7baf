import HTTPWire
import JSONScan
import Locking

@testable import GatewayCore

/// The platform of a realtime test: it bills at the end frame and gives a result again under its key.
final class PlatformInMemory: WebSocketTransport {
    /// What goes wrong on one connection.
    enum Fault: Sendable {
        case none
        /// It is refused with this status and body.
        case refuse(Int, String)
        case noConnection
        /// It says nothing until ``release()``.
        case holdOpen
        /// The parameters are answered with this frame.
        case answerStart(String)
        /// It says this when so many bytes of audio have come, once, and goes on.
        case sayAtBytes(Int, String)
        /// It breaks when so many bytes of audio have come.
        case breakAtBytes(Int)
        /// It breaks when the end has come, before anything is evaluated.
        case breakAtEnd
        /// It breaks when the end has come and was billed.
        case breakWhenBilled
        /// The end is answered with this frame.
        case answer(String)
        /// The end is answered with this frame, behind ``release()``.
        case holdAndAnswer(String)
        /// It says this before it has the end, although that is on its way, and then does its part behind ``release()``:
        /// evaluates, or says this.
        case answerEarly(String, then: String?)
        /// It is closed with this code when the end has come.
        case close(UInt16)
        /// The result waits until ``release()``.
        case hold
    }

    private struct State {
        var faults: [Fault]
        var evaluated: [String: [UInt8]] = [:]
        var bills: [String] = []
        var urls: [String] = []
        var traces: [String?] = []
        var held: [Waiting<Void>] = []
        var line: MemoryChannel?
        var openCount = 0
        var startCount = 0
        var heardBytes = 0
    }

    private let state: Locked<State>

    init(_ faults: [Fault]) {
        self.state = Locked(State(faults: faults))
    }

    /// The keys that were billed, each time.
    var bills: [String] { self.state.withLock { $0.bills } }
    /// The audio that was evaluated, by key.
    var evaluated: [String: [UInt8]] { self.state.withLock { $0.evaluated } }
    var urls: [String] { self.state.withLock { $0.urls } }
    /// The `traceparent` of each handshake.
    var traces: [String?] { self.state.withLock { $0.traces } }
    var openCount: Int { self.state.withLock { $0.openCount } }
    var startCount: Int { self.state.withLock { $0.startCount } }
    /// How many bytes of audio have come, over all connections.
    var heardBytes: Int { self.state.withLock { $0.heardBytes } }
    var heldCount: Int { self.state.withLock { $0.held.count } }

    /// The accounts that connections were signed for.
    var appKeys: [String] {
        self.urls.map { url in
            let rest = url.split(separator: "appKey=", maxSplits: 1).last ?? ""
            return String(rest.prefix { $0 != "&" })
        }
    }

    /// The platform's end of the connection that was made last.
    var line: MemoryChannel? { self.state.withLock { $0.line } }

    func release() {
        let held = self.state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for waiting in held { waiting.resolve(()) }
    }

    func open(_ request: WebSocketRequest) async throws(WebSocketOpenError) -> any WebSocketChannel {
        let fault = self.state.withLock { state in
            state.urls.append(request.url)
            state.traces.append(request.fields[.traceparent])
            return state.faults.isEmpty ? Fault.none : state.faults.removeFirst()
        }
        switch fault {
        case .noConnection:
            throw .failed(HTTPTransportError(reason: .connect, bytesSent: 0, detail: ""))
        case .refuse(let status, let body):
            throw .refused(HTTPTransportResponse(status: status, fields: HTTPFields(), body: Array(body.utf8)))
        default:
            let (ours, theirs) = MemoryChannel.pair()
            self.state.withLock { state in
                state.openCount += 1
                state.line = theirs
            }
            Task {
                await self.serve(theirs, fault)
                self.state.withLock { $0.openCount -= 1 }
            }
            return ours
        }
    }

    private func serve(_ line: MemoryChannel, _ fault: Fault) async {
        var key = ""
        var audio: [UInt8] = []
        var hasSpoken = false
        if case .holdOpen = fault { await self.hold() }
        await line.send(.text(#"{"event":"connected"}"#))
        while let message = await line.receive() {
            switch message.kind {
            case .binary:
                audio += message.bytes
                self.state.withLock { $0.heardBytes += message.bytes.count }
                if case .breakAtBytes(let count) = fault, audio.count >= count { return line.abort() }
                if case .sayAtBytes(let count, let frame) = fault, audio.count >= count, !hasSpoken {
                    hasSpoken = true
                    await line.send(.text(frame))
                }
            case .text:
                let scanner = JSONScanner(message.bytes)
                guard scanner.value(at: "cmd").flatMap({ scanner.string(of: $0) }) != "end" else {
                    guard await self.end(line, fault, key: key, audio: audio) else { return }
                    continue
                }
                key = scanner.value(at: "idempotencyKey").flatMap { scanner.string(of: $0) } ?? ""
                audio = []
                self.state.withLock { $0.startCount += 1 }
                if case .answerStart(let frame) = fault {
                    await line.send(.text(frame))
                    continue
                }
                if case .answerEarly = fault { line.fallSilent() }
                await line.send(.text(#"{"event":"started"}"#))
            }
        }
    }

    private func end(_ line: MemoryChannel, _ fault: Fault, key: String, audio: [UInt8]) async -> Bool {
        switch fault {
        case .breakAtEnd:
            line.abort()
            return false
        case .answer(let frame):
            await line.send(.text(frame))
            return true
        case .holdAndAnswer(let frame):
            await self.hold()
            await line.send(.text(frame))
            return true
        case .answerEarly(let frame, let answer):
            await line.send(.text(frame))
            await self.hold()
            guard let answer else { break }
            await line.send(.text(answer))
            return true
        case .close(let code):
            WebSocketCloseCode(rawValue: code).map { line.close(WebSocketClose($0, reason: "as told")) }
            return false
        default:
            break
        }
        let isReplayed = self.state.withLock { state in
            guard state.evaluated[key] == nil else { return true }
            state.evaluated[key] = audio
            state.bills.append(key)
            return false
        }
        if case .breakWhenBilled = fault {
            line.abort()
            return false
        }
        if case .hold = fault { await self.hold() }
        let id = "eval_" + key.prefix(12)
        let result = #"{"event":"result","recordId":"\#(id)","eof":1,"result":{"overall":88.5}"#
        await line.send(.text(result + (isReplayed ? #","replayed":true}"# : "}")))
        return true
    }

    private func hold() async {
        let waiting = Waiting<Void>()
        self.state.withLock { $0.held.append(waiting) }
        await waiting.wait()
    }
}
