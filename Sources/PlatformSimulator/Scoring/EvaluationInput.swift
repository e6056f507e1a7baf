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

/// What is to be evaluated, and how: the checked content of a `config` part.
struct EvaluationInput: Hashable, Sendable {
    /// The kind of task.
    var coreType: CoreType
    /// The text to be read; for `open` the prompt.
    var referenceText: String
    /// Whether the language is Chinese; English otherwise.
    var isChinese: Bool
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
    /// Readings that the caller gives, for Chinese characters in order.
    var refPinyin: [String] = []
}
