import Cryptography
import HTTPWire
import JSONScan

extension PlatformSession {
    /// What a round consists of: parameters, audio, and how far the text has been read.
    struct Round: ~Copyable {
        var input: EvaluationInput?
        /// The digest of the parameters.
        var parameters: Digest256?
        var key: String?
        var recording = RealtimeRecording()
        var wantsProgress = false
        var progress: ReadingProgress?
        /// How many units the last progress frame had as read.
        var toldUnits = 0
        /// The bytes of audio, counted as in the last progress frame.
        var toldBytes = 0
        var toldFrames = 0
    }

    // MARK: Frames

    /// Does what a frame asks for.
    mutating func take(_ message: WebSocketMessage, now: Int) -> [Action] {
        switch message.kind {
        case .binary: self.hear(message.bytes)
        case .text: self.read(message.bytes, now: now)
        }
    }

    private mutating func read(_ bytes: [UInt8], now: Int) -> [Action] {
        guard let scanner = try? JSONScanner(validating: bytes, maximumDepth: 32), scanner.root?.kind == .object else {
            return self.complain("bad json frame")
        }
        let command = scanner.value(at: "cmd").flatMap { scanner.string(of: $0) }
        switch (command, self.opening.dialect) {
        case ("ping", _):
            return [.send(SessionFrame.pong(at: now))]
        case ("audio", _):
            let data = scanner.value(at: "data").flatMap { scanner.string(of: $0) }
            guard let audio = data.flatMap({ Base64.decode($0) }) else { return self.complain("bad audio frame") }
            return self.hear(audio)
        case ("end", _):
            return self.endRound()
        case ("start", .native):
            return self.start(bytes, scanner)
        case (nil, .compat) where scanner.value(at: "cmd") == nil:
            let isEnd = scanner.value(at: "end").flatMap { scanner.bool(of: $0) } ?? false
            return isEnd ? self.endRound() : self.start(bytes, scanner)
        default:
            return self.complain("unknown cmd")
        }
    }

    /// An error without a code, which the platform sends for what is no business of its table.
    private func complain(_ message: String) -> [Action] {
        [.send(SessionFrame.error(nil, message))]
    }

    // MARK: Start

    /// Takes the parameters of a round; what came of another one before its end is forgotten.
    private mutating func start(_ bytes: [UInt8], _ scanner: JSONScanner) -> [Action] {
        switch self.state {
        case .idle, .receiving, .starting: break
        case .opening: return self.complain("not connected yet")
        case .evaluating, .delivering: return self.complain("the round before is being evaluated")
        case .over: return []
        }
        self.state = .idle
        self.round = Round()
        do throws(PlatformError) {
            try self.prepare(bytes, scanner)
        } catch {
            return self.refuse(error)
        }
        self.state = .starting
        self.summary.rounds += 1
        self.summary.key = self.round.key
        guard case .delayStarted(let pause)? = self.opening.fault else { return self.waited(for: .started) }
        return [.note, .wait(pause, .started)]
    }

    private mutating func prepare(_ bytes: [UInt8], _ scanner: JSONScanner) throws(PlatformError) {
        var input: EvaluationInput
        let wantsProgress: Bool
        switch self.opening.dialect {
        case .native:
            input = try ConfigPart(bytes).input()
            input.includesASRText = true
            wantsProgress = scanner.value(at: "realtimeFeedback").flatMap { scanner.bool(of: $0) } ?? false
        case .compat(let name):
            let form = CompatForm(name, parameters: scanner)
            input = try form.input()
            wantsProgress = try form.flag("realtime_feedback")
        }
        input.isRealtime = true
        let key = scanner.value(at: "idempotencyKey").flatMap { scanner.string(of: $0) }
        self.round.key = IdempotencyTable.key(key) ?? self.opening.key
        self.round.parameters = Self.digest(self.opening.dialect, scanner)
        self.round.input = input
        self.round.toldBytes = self.audioBytes
        let wanted = wantsProgress && self.opening.fault != .progress(.none)
        self.round.wantsProgress = wanted
        if wanted, self.opening.fault != .progress(.bytes) {
            self.round.progress = ReadingProgress(input.referenceText)
        }
    }

    /// The parameters without the key, in the order of their names (contract yugu, sections 7.2 and 15).
    private static func digest(_ dialect: Dialect, _ scanner: JSONScanner) -> Digest256 {
        var hash = SHA256()
        switch dialect {
        case .native: hash.update("realtime:")
        case .compat(let name): hash.update("realtime:\(name.rawValue):")
        }
        guard let root = scanner.root else { return hash.finalize() }
        let members = scanner.members(of: root).filter { $0.key != "cmd" && $0.key != "idempotencyKey" }
        for member in members.sorted(by: { $0.key < $1.key }) {
            hash.update("\(member.key.utf8.count):\(member.key)")
            scanner.withBytes(of: member.value) { bytes in
                hash.update("\(bytes.count):")
                hash.update(bytes)
            }
        }
        return hash.finalize()
    }

    // MARK: Audio

    private mutating func hear(_ bytes: [UInt8]) -> [Action] {
        switch self.state {
        case .receiving: break
        case .evaluating, .delivering, .over: return []
        case .opening, .idle, .starting: return self.complain("audio before started")
        }
        guard self.round.recording.byteCount + bytes.count <= RealtimeRecording.maximumBytes else {
            self.state = .idle
            return self.refuse(.invalid("the audio of the round is larger than 10 MB"))
        }
        self.audioBytes += bytes.count
        bytes.withUnsafeBytes { self.round.recording.append($0) }
        let progress = self.tell()
        return progress + self.faultAtBytes()
    }

    private mutating func endRound() -> [Action] {
        switch self.state {
        case .receiving: break
        // A second end frame does nothing.
        case .evaluating, .delivering, .over: return []
        case .opening, .idle, .starting: return self.complain("no audio/config")
        }
        if let fault = self.faultAtEnd() { return fault }
        guard let input = self.round.input, let parameters = self.round.parameters else {
            return self.complain("no audio/config")
        }
        guard self.round.recording.byteCount > 0 else {
            self.state = .idle
            return self.complain("no audio")
        }
        let audio = self.round.recording.finish()
        guard audio.duration >= 1 else {
            self.state = .idle
            return self.refuse(.invalid("the audio is shorter than 1 s"))
        }
        self.state = .evaluating
        self.summary.ends += 1
        self.summary.audioBytes = self.audioBytes
        var hash = SHA256()
        parameters.withBytes { hash.update($0) }
        audio.digest.withBytes { hash.update($0) }
        let fingerprint = hash.finalize()
        let request = PaidRequest(
            caller: self.opening.caller,
            fingerprint: fingerprint,
            task: .evaluation(EvaluationRecipe(fingerprint: fingerprint, input: input, audio: audio)),
            epoch: self.opening.epoch
        )
        return [.note, .evaluate(request, key: self.round.key)]
    }

    // MARK: Progress

    /// A frame at once when progress changes, and one for each half second of audio.
    private mutating func tell() -> [Action] {
        guard self.round.wantsProgress else { return [] }
        var hasChanged = false
        if !self.round.recording.isStandard {
            self.round.progress = nil
        } else if let meter = self.round.recording.meter {
            hasChanged = self.round.progress?.follow(meter) ?? false
        }
        guard hasChanged || self.audioBytes - self.round.toldBytes >= 16_000 else { return [] }
        return [self.progressFrame()]
    }

    /// The last stretch, which is delivered before the result.
    mutating func lastProgress() -> [Action] {
        guard self.round.wantsProgress, let meter = self.round.recording.meter,
            self.round.progress?.end(meter) ?? false
        else { return [] }
        return [self.progressFrame()]
    }

    private mutating func progressFrame() -> Action {
        let readCount = self.round.progress?.readCount ?? 0
        self.round.toldFrames += 1
        let goesBack = self.opening.fault == .progress(.back) && self.round.toldFrames % 3 == 0
        let frame = SessionFrame.progress(
            self.opening.dialect,
            bytes: self.audioBytes,
            self.round.progress,
            readCount: goesBack ? readCount / 2 : readCount,
            newWords: self.round.toldUnits..<readCount
        )
        self.round.toldUnits = readCount
        self.round.toldBytes = self.audioBytes
        return .send(frame)
    }
}
