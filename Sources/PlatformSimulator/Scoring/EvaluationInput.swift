import Cryptography

/// The seven kinds of native evaluation (contract yugu, section 4.2).
enum CoreType: String, Sendable, CaseIterable {
    case word
    case sentence
    case passage
    case connected
    case open
    case alpha
    case pinyin
}

/// What is to be evaluated, and how: the checked content of a `config` part or of a compat form.
struct EvaluationInput: Hashable, Sendable {
    /// The most characters of a reference text, in UTF-16 code units.
    static let maximumText = 1_000

    /// The kind of task.
    var coreType: CoreType
    /// The text to be read; for `open` the prompt.
    ///
    /// It may be empty where ``refPinyin`` says what is to be read.
    var referenceText: String
    /// Whether the language is Chinese; English otherwise.
    var isChinese: Bool
    /// The compat name that was asked for; nil for a native evaluation.
    var compatName: CompatName?
    /// Whether a report with summary and suggestions is wanted.
    var includesReport = false
    /// Whether the address of a model reading is wanted.
    var includesStandardAudio = false
    /// Whether the recognised text is wanted.
    var includesASRText = false
    /// Whether sentences carry their words; a passage may do without.
    var includesDetails = true
    /// What the best score is, 1 to 100.
    var scale = 100
    /// What scores are rounded to; nil for tenths.
    var precision: Double?
    /// The age group that the report names.
    var ageGroup = 3
    /// The kind of open task.
    var taskType = "free"
    /// The picture of an open task.
    var picture: Digest256?
    /// Readings that the caller gives, for Chinese characters in order.
    var refPinyin: [String] = []
    /// Whether it came as a stream, whose result is a frame.
    var isRealtime = false
    /// Where the recording can be fetched; nil when that is not asked for.
    var recordingURL: RecordingURL?

    /// The syllables of a text such as `chong2 qing4`.
    static func syllables(_ text: String?) -> [String] {
        (text ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// The name of the task in the answer.
    ///
    /// The platform names native pinyin tasks after the sentence (contract yugu, section 16).
    var answeredCoreType: String {
        self.compatName?.rawValue ?? (self.coreType == .pinyin ? "sentence" : self.coreType.rawValue)
    }
}

/// The address of a recording but for the day and the record id (contract yugu, section 5).
struct RecordingURL: Hashable, Sendable {
    /// The base URL, such as `https://open.shengzhiai.com`.
    var base: String
    /// The digest of the recording in hexadecimal digits, 32 of them.
    var mark: String
    /// How the file name ends, such as `wav`.
    var fileExtension: String

    /// The address for a record.
    func text(recordID: String, day: CalendarDay) -> String {
        "\(self.base)/rec/\(day.compact)/\(recordID)-\(self.mark).\(self.fileExtension)"
    }
}
