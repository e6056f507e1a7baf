import Cryptography
import SpeechAudio

/// The audio of one round, hashed and measured as it arrives: 16 kHz, 16 bits, mono, with or without a WAV header
/// (contract yugu, sections 10 and 10.3).
struct RealtimeRecording: ~Copyable {
    /// The most bytes of one round.
    static let maximumBytes = 10 << 20

    private enum Form {
        case unknown
        case samples
        case file
    }

    /// As many bytes as tell a WAV file.
    private static let openingSize = 12

    private var form = Form.unknown
    private var opening: [UInt8] = []
    private var hash = SHA256()
    private var wav = WAVParser()

    /// How many bytes have come.
    private(set) var byteCount = 0
    /// The levels so far; nil while nothing can be measured.
    private(set) var meter: PCMMeter?

    /// Whether progress can be followed: in other formats than the standard one it cannot.
    var isStandard: Bool {
        switch self.form {
        case .unknown, .samples: true
        case .file: self.wav.format.map { $0.isPCM16 && $0.sampleRate == 16_000 && $0.channels == 1 } ?? true
        }
    }

    /// Takes the next bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        self.byteCount += bytes.count
        self.hash.update(bytes)
        guard case .unknown = self.form else { return self.measure(bytes) }
        self.opening.append(contentsOf: bytes)
        if self.opening.count >= Self.openingSize { self.open() }
    }

    private mutating func open() {
        let isFile = self.opening.starts(with: "RIFF".utf8) && self.opening.dropFirst(8).starts(with: "WAVE".utf8)
        self.form = isFile ? .file : .samples
        let opening = self.opening
        self.opening = []
        opening.withUnsafeBytes { self.measure($0) }
    }

    private mutating func measure(_ bytes: UnsafeRawBufferPointer) {
        guard case .file = self.form else {
            var meter = self.meter.take() ?? PCMMeter()
            meter.measure(bytes)
            self.meter = meter
            return
        }
        var meter = self.meter.take()
        self.wav.parse(bytes) { samples, format in
            var next = meter.take() ?? PCMMeter(sampleRate: format.sampleRate, channels: format.channels)
            next.measure(samples)
            meter = next
        }
        self.meter = meter
    }

    /// Sums up; nothing may be appended afterwards.
    mutating func finish() -> AudioFacts {
        if case .unknown = self.form { self.open() }
        let digest = self.hash.finalize()
        switch self.form {
        case .file:
            return AudioFacts(byteCount: self.byteCount, digest: digest, parser: self.wav, meter: self.meter)
        case .samples, .unknown:
            let duration = Double(self.byteCount) / 32_000
            return AudioFacts(byteCount: self.byteCount, digest: digest, exactDuration: duration, meter: self.meter)
        }
    }
}
