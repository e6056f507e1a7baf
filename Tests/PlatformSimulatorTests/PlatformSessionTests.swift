import Cryptography
import Foundation
import HTTPWire
import Testing

@testable import PlatformSimulator

/// The realtime state machine without a socket: what it sends for what comes (contract yugu, section 10).
@Suite struct PlatformSessionTests {
    static let start = #"{"cmd":"start","coreType":"sentence","referenceText":"今天天气很好","language":"zh-CN"}"#
    static let end = #"{"cmd":"end"}"#
    /// 3 s of speech without a header.
    static let speech = Array(TestRecording.bursts(8, amplitude: 8_000).dropFirst(44))

    @Test func aNativeRoundGoesFromConnectedToEvaluation() throws {
        let session = TestedSession(.native)
        #expect(session.open() == [#"{"event":"connected","message":"stream channel ready"}"#])
        #expect(session.text(Self.start) == [#"{"event":"started"}"#])
        #expect(session.audio(Self.speech) == [])
        #expect(session.text(Self.end) == [])
        let order = try #require(session.orders.first)
        guard case .evaluation(let recipe) = order.request.task else { return #expect(Bool(false)) }
        #expect(recipe.input.referenceText == "今天天气很好" && recipe.input.isChinese && recipe.input.isRealtime)
        #expect(recipe.audio.byteCount == Self.speech.count)
        #expect(recipe.audio.duration == Double(Self.speech.count) / 32_000)
        #expect(session.text(Self.end) == [], "a second end does nothing")
        #expect(session.orders.count == 1)
        #expect(session.evaluated(#"{"event":"result","eof":1}"#) == [#"{"event":"result","eof":1}"#])
        #expect(session.summary.rounds == 1 && session.summary.ends == 1 && session.summary.results == 1)
    }

    @Test func aReplayIsMarkedInItsFrame() {
        let session = TestedSession(.native)
        session.startRound(Self.start, Self.speech)
        let frames = session.evaluated(#"{"event":"result","eof":1}"#, isReplayed: true)
        #expect(frames == [#"{"event":"result","eof":1,"replayed":true}"#])
    }

    @Test func aCompatRoundSpeaksItsOwnLanguage() throws {
        let session = TestedSession(.compat(.sentenceChinese))
        #expect(session.open() == [#"{"event":"connected","coreType":"sent.eval.cn"}"#])
        let parameters = #"{"text":"今天","scale":50,"idempotencyKey":"k"}"#
        #expect(session.text(parameters) == [#"{"event":"started","coreType":"sent.eval.cn"}"#])
        _ = session.audio(Self.speech)
        // A second parameter frame clears the audio.
        #expect(session.text(parameters) == [#"{"event":"started","coreType":"sent.eval.cn"}"#])
        _ = session.audio(Array(Self.speech[..<40_000]))
        #expect(session.text(#"{"end":true}"#) == [])
        let order = try #require(session.orders.first)
        guard case .evaluation(let recipe) = order.request.task else { return #expect(Bool(false)) }
        #expect(order.key == "k")
        #expect(recipe.input.referenceText == "今天" && recipe.input.scale == 50)
        #expect(recipe.audio.byteCount == 40_000)
    }

    @Test func audioMayComeAsTextAndWithAWAVHeader() throws {
        let session = TestedSession(.native)
        _ = session.open()
        _ = session.text(Self.start)
        for piece in [TestRecording.speech[..<7], TestRecording.speech[7..<20], TestRecording.speech[20...]] {
            _ = session.text(#"{"cmd":"audio","data":"\#(Data(piece).base64EncodedString())"}"#)
        }
        _ = session.text(Self.end)
        let recipe = try #require(session.recipe)
        #expect(recipe.audio.byteCount == TestRecording.speech.count)
        #expect(abs(recipe.audio.duration - 2.4) < 0.001 && recipe.audio.meter != nil)
    }

    @Test(arguments: [
        ("nonsense", nil, "bad json frame"), ("[]", nil, "bad json frame"), (#"{"cmd":"dance"}"#, nil, "unknown cmd"),
        ("{}", nil, "unknown cmd"), (#"{"cmd":"end"}"#, nil, "no audio/config"),
        (#"{"cmd":"audio","data":"!"}"#, nil, "bad audio frame"),
        (#"{"cmd":"audio","data":"AAAA"}"#, nil, "audio before started"),
        (#"{"cmd":"start","coreType":"dance","referenceText":"a"}"#, 40_001, "coreType is missing or unknown"),
        (#"{"cmd":"start","coreType":"word"}"#, 40_001, "referenceText is missing"),
    ])
    func whatIsWrongIsAnErrorFrame(text: String, code: Int?, message: String) throws {
        let session = TestedSession(.native)
        _ = session.open()
        let frame = try #require(session.text(text).first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(frame.utf8)) as? [String: Any])
        #expect(object["event"] as? String == "error" && object["message"] as? String == message)
        #expect(object["code"] as? Int == code)
        // The session goes on.
        #expect(session.text(Self.start) == [#"{"event":"started"}"#])
    }

    @Test func emptyAndShortRoundsAreNotEvaluated() {
        let session = TestedSession(.native)
        session.startRound(Self.start, [])
        #expect(session.orders.isEmpty && session.sent.last?.contains("no audio") == true)
        session.startRound(Self.start, Array(Self.speech[..<31_998]))
        #expect(session.orders.isEmpty && session.sent.last?.contains("40001") == true)
        session.startRound(Self.start, Array(Self.speech[..<32_000]))
        #expect(session.orders.count == 1)
    }

    @Test func aRoundOfMoreThanTenMegabytesIsRefused() {
        let session = TestedSession(.native)
        _ = session.open()
        _ = session.text(Self.start)
        let megabyte = [UInt8](repeating: 1, count: 1 << 20)
        for _ in 0..<10 { #expect(session.audio(megabyte) == []) }
        #expect(session.audio([1]).first?.contains("larger than 10 MB") == true)
        #expect(session.text(Self.end).first?.contains("no audio/config") == true)
    }

    @Test func severalRoundsOverOneConnection() {
        let session = TestedSession(.native)
        for round in 1...3 {
            session.startRound(Self.start.replacing("}", with: #","idempotencyKey":"k\#(round)"}"#), Self.speech)
            #expect(session.orders.last?.key == "k\(round)")
            #expect(session.text(Self.start).first?.contains("is being evaluated") == true)
            #expect(session.evaluated("{}") == ["{}"])
        }
        #expect(session.summary.rounds == 3 && session.summary.results == 3)
        #expect(session.summary.audioBytes == 3 * Self.speech.count)
    }

    @Test func theKeyOfTheQueryServesRoundsWithoutOne() {
        let session = TestedSession(.native, key: "query")
        session.startRound(Self.start, Self.speech)
        #expect(session.orders.last?.key == "query")
        _ = session.evaluated("{}")
        session.startRound(Self.start.replacing("}", with: #","idempotencyKey":"own"}"#), Self.speech)
        #expect(session.orders.last?.key == "own")
    }

    @Test func theFingerprintLeavesTheKeyOutAndNothingElse() throws {
        func fingerprint(_ parameters: String, _ audio: [UInt8] = Self.speech) throws -> String {
            let session = TestedSession(.native)
            session.startRound(parameters, audio)
            return try #require(session.orders.first).request.fingerprint.hex
        }
        let first = try fingerprint(Self.start)
        #expect(try fingerprint(Self.start.replacing("}", with: #","idempotencyKey":"k"}"#)) == first)
        #expect(try fingerprint(Self.start.replacing("}", with: #","slack":1}"#)) != first)
        #expect(try fingerprint(Self.start, Array(Self.speech.dropLast(2))) != first)
    }

    @Test func pingsAreAnsweredAtAnyTime() {
        let session = TestedSession(.compat(.word))
        _ = session.open()
        let pong = [#"{"event":"pong","ts":1700000000000}"#]
        #expect(session.text(#"{"cmd":"ping"}"#) == pong)
        session.startRound(#"{"refText":"apple"}"#, Self.speech)
        #expect(session.text(#"{"cmd":"ping"}"#) == pong)
    }

    @Test func aFailedEvaluationIsAnErrorFrameAndTheNextRoundMayCome() {
        let session = TestedSession(.native)
        session.startRound(Self.start, Self.speech)
        let frames = session.failed(PlatformError(code: 42_903))
        #expect(frames.count == 1 && frames[0].contains(#""code":42903"#))
        session.startRound(Self.start, Self.speech)
        #expect(session.orders.count == 2)
    }
}

/// A session with what it has sent and asked for.
final class TestedSession {
    private var session: PlatformSession
    private(set) var sent: [String] = []
    private(set) var orders: [(request: PaidRequest, key: String?)] = []
    private(set) var others: [PlatformSession.Action] = []
    private var isOpen = false

    init(_ dialect: PlatformSession.Dialect, key: String? = nil, fault: String? = nil) {
        let parsed = fault.flatMap { Fault($0) }
        var sessionFault: SessionFault?
        if case .session(let found)? = parsed { sessionFault = found }
        self.session = PlatformSession(
            PlatformSession.Opening(
                dialect: dialect,
                caller: Caller(appKey: "a", tenant: "a"),
                key: key,
                epoch: 0,
                fault: sessionFault
            )
        )
    }

    var summary: SimulatedSession { self.session.summary }

    var recipe: EvaluationRecipe? {
        if case .evaluation(let recipe)? = self.orders.last?.request.task { recipe } else { nil }
    }

    private func keep(_ actions: [PlatformSession.Action]) -> [String] {
        var frames: [String] = []
        for action in actions {
            switch action {
            case .send(let bytes): frames.append(String(decoding: bytes, as: UTF8.self))
            case .evaluate(let request, let key): self.orders.append((request, key))
            case .note: break
            default: self.others.append(action)
            }
        }
        self.sent += frames
        return frames
    }

    @discardableResult
    func open() -> [String] {
        self.isOpen = true
        return self.keep(self.session.open())
    }

    func text(_ text: String) -> [String] {
        self.keep(self.session.receive(.text(text), now: 1_700_000_000_000))
    }

    func audio(_ bytes: [UInt8]) -> [String] {
        self.keep(self.session.receive(.binary(bytes), now: 1_700_000_000_000))
    }

    func waited(for wait: PlatformSession.Wait) -> [String] {
        self.keep(self.session.waited(for: wait))
    }

    func evaluated(_ body: String, isReplayed: Bool = false) -> [String] {
        var reply = Reply(status: 200, body: Array(body.utf8))
        reply.isReplayed = isReplayed
        return self.keep(self.session.evaluated(.success(reply)))
    }

    func failed(_ error: PlatformError) -> [String] {
        self.keep(self.session.evaluated(.failure(error)))
    }

    /// A round from its parameters to its end frame, with audio in frames of 640 bytes.
    func startRound(_ parameters: String, _ audio: [UInt8]) {
        if !self.isOpen { self.open() }
        _ = self.text(parameters)
        for start in stride(from: 0, to: audio.count, by: 640) {
            _ = self.audio(Array(audio[start..<min(start + 640, audio.count)]))
        }
        _ = self.text(#"{"cmd":"end"}"#)
    }
}
