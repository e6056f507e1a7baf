import EventLoop
import Foundation
import HTTPServer
import HTTPWire
import Locking
import Telemetry
import TestSupport
import Testing

@testable import Daemon

/// `stream` against a server that plays the gateway.
@Suite(.timeLimit(.minutes(1))) struct StreamVerbTests {
    /// What the server was asked.
    private struct Seen: Sendable {
        var fields: [String: String] = [:]
        var target = ""
        var texts: [String] = []
        var audio: [UInt8] = []
        var frames = 0
    }

    private struct Talk: WebSocketHandler {
        let talk: @Sendable (any WebSocketChannel) async -> Void

        func run(_ channel: any WebSocketChannel) async { await self.talk(channel) }
    }

    private struct Gateway: HTTPResponder {
        let seen: Locked<Seen>
        let talk: @Sendable (any WebSocketChannel) async -> Void

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            self.seen.withLock { seen in
                seen.target = request.head.target
                for index in 0..<request.head.fields.count {
                    seen.fields[request.head.fields.name(at: index).lowercased()] = request.head.fields.value(at: index)
                }
            }
            guard request.head.fields[.authorization] == "Bearer sg_key" else {
                let body = #"{"code":40100,"message":"No valid credential."}"#
                return HTTPResponse(status: HTTPStatus(401), body: Array(body.utf8))
            }
            guard let handshake = try? WebSocketServerHandshake(request.head) else {
                return HTTPResponse(status: HTTPStatus(400))
            }
            var response = HTTPResponse(status: HTTPStatus(101))
            response.upgrade = WebSocketUpgrade(handshake, handler: Talk(talk: self.talk))
            return response
        }

        func response(to rejection: HTTPRejection) -> HTTPResponse { HTTPResponse(status: rejection.status) }
    }

    private struct NoSink: LogSink {
        func write(_ record: LogRecord) {}
    }

    /// Runs the verb against a server whose connections do what a closure says.
    private func stream(
        _ words: [String],
        environment: [String: String] = ["SPEECHGATE_API_KEY": "sg_key"],
        talk: @escaping @Sendable (any WebSocketChannel, Locked<Seen>) async -> Void
    ) async throws -> (run: CapturedRun, seen: Seen) {
        let loop = try EventLoop(index: 0)
        defer { loop.stop() }
        let seen = Locked(Seen())
        var configuration = HTTPServer.Configuration()
        configuration.listen = [.tcp(host: "127.0.0.1", port: 0)]
        let server = HTTPServer(
            configuration: configuration,
            loops: [loop],
            responder: Gateway(seen: seen) { await talk($0, seen) },
            logger: Logger(sink: NoSink())
        )
        let port = try #require(try await server.start().first?.port)
        let ended = Locked<CapturedRun?>(nil)
        // Beside the test, which a verb without an end must fail and not keep for ever.
        Task {
            let words = ["stream"] + words + ["--gateway", "http://127.0.0.1:\(port)"]
            let run = await CapturedRun.run(words, environment: environment)
            ended.withLock { $0 = run }
        }
        await until("the verb ends") { ended.withLock { $0 != nil } }
        await server.stop()
        return (try #require(ended.withLock { $0 }), seen.withLock { $0 })
    }

    private let scratch: ScratchDirectory
    private let recording: String

    init() throws {
        self.scratch = try ScratchDirectory()
        self.recording = self.scratch.file("recording.wav")
        try Data(TestAudio.wav()).write(to: URL(fileURLWithPath: self.recording))
    }

    private static let result =
        #"{"event":"result","recordId":"eval_1","eof":1,"result":{"overall":80,"words":[{"word":"The"}]}}"#

    /// The server's part of an evaluation that goes well.
    private static func evaluate(_ channel: any WebSocketChannel, _ seen: Locked<Seen>) async {
        await channel.send(.text(#"{"event":"connected","message":"stream channel ready"}"#))
        while let message = await channel.receive() {
            guard message.kind == .text else {
                seen.withLock { seen in
                    seen.audio += message.bytes
                    seen.frames += 1
                }
                continue
            }
            let text = String(decoding: message.bytes, as: UTF8.self)
            seen.withLock { $0.texts.append(text) }
            if text.contains("start") {
                await channel.send(.text(#"{"event":"started","idempotencyKey":"made-up"}"#))
            } else {
                let progress =
                    #"[{"word":"The","read":true,"matched":true},{"word":"bird","read":true,"matched":false}]"#
                await channel.send(.text(#"{"eof":0,"result":{"bytes":1,"progress":\#(progress)}}"#))
                await channel.send(.text(Self.result))
            }
        }
    }

    @Test func aRecordingIsStreamedAndItsScoresArePrinted() async throws {
        let words = [self.recording, "--text", "The early bird", "--user", "mei", "--speed", "max"]
        let (run, seen) = try await self.stream(words, talk: Self.evaluate)
        #expect(run.exitCode == .success, "\(run.complaints)")
        #expect(seen.target == "/api/v1/ws/evaluate")
        #expect(seen.fields["speechgate-user"] == "mei")
        let start = #"{"cmd":"start","coreType":"sentence","referenceText":"The early bird","language":"en-US","#
        #expect(seen.texts == [start + #""realtimeFeedback":true}"#, #"{"cmd":"end"}"#])
        // The file is 44 bytes of header and then samples.
        #expect(seen.audio == Array(TestAudio.wav().dropFirst(44)))
        #expect(run.output.contains("read 2 of 2, recognised 1:  The (bird)"))
        #expect(run.output.contains("   overall 80   "))
        #expect(run.output.contains("   record eval_1   key made-up\n"))
        #expect(run.complaints.isEmpty)
    }

    @Test func audioComesAsFastAsItIsSpoken() async throws {
        let samples = self.scratch.file("half-a-second.pcm")
        try Data(count: 16_000).write(to: URL(fileURLWithPath: samples))
        let began = ContinuousClock.now
        let words = [samples, "--text", "今天", "--key", "k-7", "--core-type", "word", "--speed", "2"]
        let (run, seen) = try await self.stream(words, talk: Self.evaluate)
        #expect(run.exitCode == .success, "\(run.complaints)")
        #expect(ContinuousClock.now - began >= .milliseconds(250))
        #expect(seen.frames == 25 && seen.audio.count == 16_000)
        let start = #"{"cmd":"start","coreType":"word","referenceText":"今天","language":"zh-CN","#
        #expect(seen.texts.first == start + #""realtimeFeedback":true,"idempotencyKey":"k-7"}"#)
    }

    @Test func aRefusedCredentialSaysWhy() async throws {
        let (run, _) = try await self.stream(
            [self.recording, "--text", "a", "--credential-env", "OTHER"],
            environment: ["OTHER": "sg_wrong"],
            talk: Self.evaluate
        )
        #expect(run.exitCode == .noPermission)
        #expect(run.complaints.first?.hasSuffix("refused: HTTP 401, code 40100: No valid credential.") == true)
        #expect(!run.complaints.joined().contains("sg_wrong"))
    }

    @Test func anErrorFrameEndsIt() async throws {
        let (run, _) = try await self.stream([self.recording, "--text", "a"]) { channel, _ in
            await channel.send(.text(#"{"event":"error","code":42901,"message":"too many"}"#))
            _ = await channel.untilEnd()
        }
        #expect(run.exitCode == .temporaryFailure)
        #expect(run.complaints == ["speechgate: error 42901: too many"])
    }

    @Test func aConnectionThatBreaksEndsIt() async throws {
        let (run, _) = try await self.stream([self.recording, "--text", "a"]) { channel, _ in
            await channel.send(.text(#"{"event":"connected"}"#))
            _ = await channel.receive()
            channel.abort()
        }
        #expect(run.exitCode == .ioError)
        #expect(run.complaints == ["speechgate: the connection to the gateway broke"])
    }

    @Test func aCredentialIsReadFromAFile() async throws {
        try self.scratch.write("key", "sg_key\n", mode: 0o600)
        let words = [self.recording, "--text", "a", "--speed", "max", "--credential-file", self.scratch.file("key")]
        let (run, _) = try await self.stream(words, environment: [:], talk: Self.evaluate)
        #expect(run.exitCode == .success, "\(run.complaints)")
    }

    @Test func whatCannotBeStreamedIsNamedBeforeAnythingIsSent() async throws {
        try self.scratch.write("a.wav", "no sound", mode: 0o600)
        try self.scratch.write("empty.pcm", "", mode: 0o600)
        let key = ["SPEECHGATE_API_KEY": "sg_key"]
        let cases: [([String], [String: String], ExitCode, String)] = [
            (
                ["a.wav"], key, .dataError,
                "DIR/a.wav is no WAV file; samples without a header need a name in .pcm or .raw"
            ),
            (["empty.pcm"], key, .dataError, "DIR/empty.pcm holds no samples"),
            (["none.wav"], key, .noInput, "cannot read DIR/none.wav: No such file or directory"),
        ]
        for (file, environment, exitCode, message) in cases {
            let words = ["stream", self.scratch.file(file[0]), "--text", "a"]
            let run = await CapturedRun.run(words, environment: environment)
            #expect(run.exitCode == exitCode)
            #expect(run.complaints.map { $0.replacing(self.scratch.path, with: "DIR") } == ["speechgate: " + message])
        }
        let run = await CapturedRun.run(["stream", self.recording, "--text", "a"])
        #expect(run.exitCode == .noInput)
        #expect(run.complaints.first?.contains("environment variable SPEECHGATE_API_KEY is not set") == true)
    }

    @Test func aGatewayThatIsNotThereIsNamed() async throws {
        let words = ["stream", self.recording, "--text", "a", "--gateway", "ws://127.0.0.1:9"]
        let run = await CapturedRun.run(words, environment: ["SPEECHGATE_API_KEY": "sg_key"])
        #expect(run.exitCode == .unavailable)
        #expect(run.complaints.first?.hasPrefix("speechgate: ws://127.0.0.1:9 cannot be used: ") == true)
        #expect(run.complaints.first?.hasSuffix("; is the gateway running?") == true)
    }
}
