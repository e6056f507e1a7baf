import Cryptography
private import Glibc
import SpeechAudio

/// What the simulator knows of an uploaded recording once its last byte has come.
struct AudioFacts: Sendable {
    /// A problem of the recording that the platform warns of (contract yugu, section 9.5).
    enum Warning: Int, Sendable {
        case noValidAudio = 1001
        case tooQuiet = 1002
        case clipped = 1003

        var message: String {
            switch self {
            case .noValidAudio: "No valid audio detected!"
            case .tooQuiet: "Audio volume too low!"
            case .clipped: "Audio volume too high!"
            }
        }
    }

    /// The size of the upload in bytes.
    var byteCount: Int
    /// The digest of its bytes.
    var digest: Digest256
    /// The playing time in seconds; an estimate when the container is none that we read.
    var duration: Double
    /// Whether the playing time was read and not estimated.
    var hasExactDuration: Bool
    /// The levels, when the samples are 16-bit integers.
    var meter: PCMMeter?
    /// The stretches of speech in units of 10 ms.
    var voiced: [Range<Int>]
    /// What is wrong with the recording; at most one.
    var warning: Warning?

    /// Sums up an upload.
    init(byteCount: Int, digest: Digest256, parser: WAVParser, meter: PCMMeter?) {
        let isWAV = parser.progress == .samples
        self.init(
            byteCount: byteCount,
            digest: digest,
            exactDuration: isWAV ? parser.duration ?? 0 : nil,
            meter: isWAV && parser.format?.isPCM16 == true ? meter : nil
        )
    }

    /// Sums up what was measured.
    ///
    /// - Parameter exactDuration: The playing time in seconds; nil when it has to be estimated.
    init(byteCount: Int, digest: Digest256, exactDuration: Double?, meter: PCMMeter?) {
        self.byteCount = byteCount
        self.digest = digest
        self.hasExactDuration = exactDuration != nil
        // Compressed speech takes about 32 kbit/s.
        self.duration = exactDuration ?? Double(byteCount) / 4_000
        self.meter = meter
        let everything = [0..<max(1, Int(self.duration * 100))]
        guard let meter = self.meter else {
            self.voiced = everything
            return
        }
        let segments = meter.voicedSegments()
        self.voiced = segments.isEmpty ? everything : segments
        let level = meter.level
        if level.isSilent {
            self.voiced = []
            self.warning = .noValidAudio
        } else if level.isQuiet {
            self.warning = .tooQuiet
        } else if level.clippedCount >= 8, level.clippedCount * 500 > level.sampleCount {
            self.warning = .clipped
        }
    }

    /// The level of a stretch in dB below full scale.
    func decibels(of span: Range<Int>) -> Double {
        guard let meter = self.meter else { return -20 }
        let level = max(1, meter.rootMeanSquare(ofWindows: span))
        return 20 * log10(level / 32_768)
    }
}
