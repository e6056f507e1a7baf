/// Judges a recording while it arrives, before anyone pays for its evaluation (contract yugu, section 11).
///
/// ```swift
/// var precheck = AudioPrecheck(.upload)
/// precheck.update(bytes)  // as often as bytes arrive, cut anywhere
/// let verdict = precheck.finish()
/// ```
///
/// WAV and samples without a header are judged in full. Other containers, and WAV files in which no samples can be
/// found, get only the test of their size. Nothing of the recording is kept: the state takes some hundred bytes.
///
/// Where the contract is silent there is no finding:
/// - a recording whose playing time is undefined (no channel, or a sample rate of zero) is neither short nor long;
/// - a `data` chunk of size zero goes on to the end of the file, as ``WAVParser`` reads it;
/// - the size of an upload without a header is its own, without the header that it may be wrapped with;
/// - a realtime round is measured as it was sent, even if it begins with a WAV header.
public struct AudioPrecheck: Sendable {
    /// How a recording comes, which decides what its bytes are.
    public enum Input: Hashable, Sendable {
        /// A file: judged if it begins as a WAV file does.
        case upload
        /// A file of samples of a known format without a header; one that begins as a WAV file does is read as such.
        case headerlessUpload(SampleFormat)
        /// All audio of a realtime round: 16 kHz, one channel, 16-bit.
        case realtimeRound
    }

    /// What is made of the next bytes.
    private enum Stage {
        /// The first bytes of samples without a header, unless they turn out to be those of a WAV file.
        case opening(SampleFormat)
        case wav
        case samples(SampleFormat)
        case round
    }

    private var stage: Stage
    private var opening: [UInt8] = []
    private var parser = WAVParser()
    private var level = PCMLevel()
    private var byteCount = 0

    /// A precheck at the start of a recording.
    public init(_ input: Input) {
        self.stage =
            switch input {
            case .upload: .wav
            case .headerlessUpload(let format): .opening(format)
            case .realtimeRound: .round
            }
    }

    /// Takes the next bytes of the recording.
    ///
    /// - Parameter bytes: Any number of bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        self.byteCount += bytes.count
        guard case .opening(let format) = self.stage else { return self.measure(bytes) }
        let missing = WAVParser.openingSize - self.opening.count
        self.opening.append(contentsOf: bytes.prefix(missing))
        guard self.opening.count == WAVParser.openingSize else { return }
        self.stage = WAVParser.isWAV(self.opening) ? .wav : .samples(format)
        self.opening.withUnsafeBytes { self.measure($0) }
        self.measure(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(missing)))
    }

    private mutating func measure(_ bytes: UnsafeRawBufferPointer) {
        guard case .wav = self.stage else { return self.level.measure(bytes) }
        var level = self.level
        self.parser.parse(bytes) { samples, format in
            if format.isSuitable { level.measure(samples) }
        }
        self.level = level
    }

    /// What is to be said of the recording, once all of it has come.
    public func finish() -> Verdict {
        var level = self.level
        let format: SampleFormat?
        var dataBytes = self.byteCount
        let duration: Double?
        var maximumSize = Finding.maximumUploadSize
        switch self.stage {
        case .opening(let stated):
            self.opening.withUnsafeBytes { level.measure($0) }
            format = stated
            duration = stated.duration(ofDataBytes: self.byteCount)
        case .samples(let stated):
            format = stated
            duration = stated.duration(ofDataBytes: self.byteCount)
        case .wav:
            // Without samples the header could not be read to its end.
            format = self.parser.progress == .samples ? self.parser.format : nil
            dataBytes = self.parser.dataBytes
            duration = format?.duration(ofDataBytes: dataBytes)
        case .round:
            format = .advised
            // By the byte, where that of a file goes by whole frames.
            duration = Double(self.byteCount) / 32_000
            maximumSize = Finding.maximumRoundSize
        }
        let tooLong = Finding.tooLong(duration: duration, size: self.byteCount, maximumSize: maximumSize)
        guard let format else {
            return Verdict(coverage: .size, findings: [tooLong].compactMap(\.self), length: nil)
        }
        let findings =
            if let unsuitable = Finding.unsuitableFormat(format) {
                [unsuitable, tooLong]
            } else {
                [Finding.tooShort(duration: duration), tooLong, Finding.tooLow(level)]
            }
        let length = RecordingLength(format: format, dataBytes: dataBytes, fileBytes: self.byteCount)
        return Verdict(coverage: .full, findings: findings.compactMap(\.self), length: length)
    }
}

extension AudioPrecheck {
    /// What a precheck says of a recording.
    public struct Verdict: Hashable, Sendable {
        /// How much could be judged.
        public enum Coverage: Hashable, Sendable {
            /// Everything: playing time, size, format and level.
            case full
            /// The size alone, as the samples cannot be read.
            case size
        }

        /// How much could be judged.
        public let coverage: Coverage
        /// What was found, in the order of the contract; empty when nothing was.
        public let findings: [Finding]
        /// What the recording counts as; nil when only its size could be judged.
        public let length: RecordingLength?

        /// The finding that a call is refused with where unsuitable recordings are; nil when it goes on.
        public var rejection: Finding? { self.findings.first(where: \.code.isRejecting) }
    }
}
