/// The outcome of an evaluation, before it is written down.
///
/// Scores run from 0 to 100.
struct Evaluation: Sendable {
    /// How a unit was read.
    enum ReadStatus: String, Sendable {
        case correct
        case mispronounced
        case skipped

        /// The number that the platform gives it.
        var readType: Int { self == .skipped ? 2 : 0 }
    }

    /// A sound with its place in units of 10 ms.
    struct Phoneme: Sendable {
        var symbol: String
        /// 0 for an initial or an English sound, 1 for a final.
        var category: Int
        var toneIndex: Int
        var score: Int
        var span: Range<Int>
    }

    /// A unit of the text with its scores.
    struct Word: Sendable {
        var unit: TextUnit
        var syllable: ChineseSyllable?
        var sounds: EnglishSounds?
        var status: ReadStatus
        var score: Int
        var toneScore: Int
        var isProminent: Bool
        /// In units of 10 ms.
        var span: Range<Int>
        /// Silence behind it, in milliseconds.
        var pause: Int
        var decibels: Double
        var phonemes: [Phoneme]
    }

    var words: [Word] = []
    var sentences: [TextSentence] = []

    var overall = 0.0
    var accuracy = 0.0
    var fluency = 0.0
    var integrity = 0.0
    var readingSkill = 0.0
    var emotion = 0.0
    var tone = 0.0
    var initials = 0.0
    var finals = 0.0
    var nasals = 0.0
    var retroflex = 0.0
    var phonemes = 0.0
    var speedScore = 0.0
    var naturalness = 0.0
    var pauses = 0.0
    var stress = 0.0
    var intonation = 0.0
    var rhythm = 0.0

    /// Characters or words per minute.
    var speed = 0
    var rearTone = "flat"
    /// The playing time in seconds.
    var duration = 0.0
    /// The time of speech in seconds.
    var voicedSeconds = 0.0
    /// From the first sound to the last, in seconds.
    var spanSeconds = 0.0
    var warning: AudioFacts.Warning?
    /// How many further words were heard beside the one that was to be read.
    var extraWords = 0

    /// The letters that were read as others, by their place.
    var substitutions: [Int] { self.words.indices.filter { self.words[$0].status == .mispronounced } }

    /// The three parts of which the total of an open task is made.
    var openParts: (content: Double, language: Double, delivery: Double) {
        (self.accuracy.rounded(), self.phonemes.rounded(), self.fluency.rounded())
    }

    /// The words that were read.
    var readWords: [Word] { self.words.filter { $0.status != .skipped } }
}
