internal import EventLoop
internal import HTTPWire
internal import JSONScan

/// One evaluation over an open connection: performs what ``StreamStateMachine`` decides.
///
/// `@unchecked Sendable`: confined to the loop of its connection.
final class StreamConversation: @unchecked Sendable {
    /// From the connection to the server's `started` (contract yugu, section 10.6).
    private static let startTimeout = Duration.seconds(10)
    /// From the end frame to the result.
    private static let resultTimeout = Duration.seconds(300)

    private let channel: any WebSocketChannel
    private let arguments: StreamArguments
    private let recording: StreamRecording
    private let console: Console
    private var machine = StreamStateMachine()
    private var painter: ReadingPainter
    private var sentBytes = 0
    private var key: String?
    private var sender: Task<Void, Never>?
    private var alarm: Task<Void, Never>?
    private var outcome: Result<Void, VerbFailure>?

    init(
        _ channel: any WebSocketChannel,
        _ arguments: StreamArguments,
        _ recording: StreamRecording,
        _ console: Console
    ) {
        self.channel = channel
        self.arguments = arguments
        self.recording = recording
        self.console = console
        self.painter = ReadingPainter(columns: console.columns())
        self.key = arguments.key
    }

    /// Talks until there is a result or a reason why there is none.
    func run() async -> Result<Void, VerbFailure> {
        self.setAlarm(after: Self.startTimeout)
        while self.outcome == nil {
            if let message = await self.channel.receive() {
                guard message.kind == .text else { continue }
                await self.perform(self.machine.received(message.bytes))
            } else {
                await self.perform(self.machine.closed(self.channel.end ?? .lost(.aborted)))
            }
        }
        self.alarm?.cancel()
        self.sender?.cancel()
        self.channel.close(WebSocketClose(.normalClosure))
        _ = await self.channel.untilEnd()
        return self.outcome ?? .success(())
    }

    private func perform(_ action: StreamStateMachine.Action) async {
        switch action {
        case .nothing: break
        case .start: await self.channel.send(self.startFrame)
        case .sendAudio(let key):
            self.alarm?.cancel()
            if let key { self.key = key }
            self.sender = Task(executorPreference: EventLoop.current?.executor) { await self.sendAudio() }
        case .show(let units):
            let seconds = Double(self.sentBytes) / Double(StreamRecording.bytesPerSecond)
            if let text = self.painter.paint(units, seconds: seconds) { self.console.output(Array(text.utf8)) }
        case .finish(let frame):
            self.console.output(Array(self.painter.finish().utf8))
            self.report(frame)
            self.outcome = .success(())
        case .fail(let failure):
            self.console.output(Array(self.painter.finish().utf8))
            self.outcome = .failure(failure)
        }
    }

    /// Ends what does not end by itself.
    private func setAlarm(after time: Duration) {
        self.alarm?.cancel()
        self.alarm = Task(executorPreference: EventLoop.current?.executor) {
            do { try await Task.sleep(for: time) } catch { return }
            await self.perform(self.machine.timedOut())
            self.channel.abort()
        }
    }

    // MARK: - What is sent

    private var startFrame: WebSocketMessage {
        var writer = JSONWriter()
        writer.object { json in
            json.member("cmd", "start")
            json.member("coreType", self.arguments.coreType)
            json.member("referenceText", self.arguments.text)
            json.member("language", self.arguments.language)
            json.member("realtimeFeedback", true)
            if let key = self.arguments.key { json.member("idempotencyKey", key) }
        }
        return WebSocketMessage(kind: .text, bytes: writer.bytes)
    }

    private func sendAudio() async {
        // 20 ms each, as the platform advises; 1 s when nobody waits for the time to pass.
        let size = self.arguments.speed == nil ? StreamRecording.bytesPerSecond : 640
        let began = ContinuousClock.now
        while self.sentBytes < self.recording.bytes.count {
            let next = min(self.sentBytes + size, self.recording.bytes.count)
            let frame = Array(self.recording.bytes[self.sentBytes..<next])
            guard await self.channel.send(.binary(frame)) else { return }
            self.sentBytes = next
            guard let speed = self.arguments.speed else { continue }
            let due = began + .seconds(Double(next) / Double(StreamRecording.bytesPerSecond) / speed)
            do { try await Task.sleep(until: due, clock: .continuous) } catch { return }
        }
        guard await self.channel.send(.text(#"{"cmd":"end"}"#)) else { return }
        self.setAlarm(after: Self.resultTimeout)
    }

    // MARK: - The result

    private func report(_ frame: StreamFrame) {
        let isTerminal = self.painter.columns != nil
        self.console.print("")
        if let result = frame.result {
            for line in ScoreTable(result: result, isColoured: isTerminal).lines { self.console.print(line) }
        }
        var facts = ["record \(frame.recordId ?? "–")"]
        if let key = self.key { facts.append("key \(key)") }
        if frame.replayed == true { facts.append("replayed, not billed again") }
        self.console.print("   " + facts.joined(separator: "   "))
    }
}
