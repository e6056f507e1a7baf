/// A dimension of the report, with the simulator's own words for it.
enum ReportDimension: CaseIterable, Sendable {
    case integrity
    case accuracy
    case fluency
    case readingSkill
    case affect

    /// The member name in dimension trees and scores.
    var key: String {
        switch self {
        case .integrity: "integrity"
        case .accuracy: "accuracy"
        case .fluency: "fluency"
        case .readingSkill: "reading_skill"
        case .affect: "affect"
        }
    }

    /// The member name in texts and suggestions, where affect is called emotion.
    var textKey: String { self == .affect ? "emotion" : self.key }

    /// The name that a person reads, which is Chinese in every language.
    var label: String {
        switch self {
        case .integrity: "完整度"
        case .accuracy: "准确度"
        case .fluency: "流利度"
        case .readingSkill: "朗读技巧"
        case .affect: "情感表达"
        }
    }

    /// The axis of the curriculum that it belongs to.
    var axis: String {
        switch self {
        case .integrity, .accuracy: "correct"
        case .fluency: "fluent"
        case .readingSkill, .affect: "expressive"
        }
    }

    /// The dimensions of a language; English has no affect.
    static func all(isChinese: Bool) -> [ReportDimension] {
        isChinese ? Self.allCases : Self.allCases.filter { $0 != .affect }
    }

    /// Its score in an evaluation.
    func score(_ evaluation: Evaluation) -> Double {
        switch self {
        case .integrity: evaluation.integrity
        case .accuracy: evaluation.accuracy
        case .fluency: evaluation.fluency
        case .readingSkill: evaluation.readingSkill
        case .affect: evaluation.emotion
        }
    }

    /// Its weight.
    func weight(_ weights: DimensionWeights) -> Double {
        switch self {
        case .integrity: weights.integrity
        case .accuracy: weights.accuracy
        case .fluency: weights.fluency
        case .readingSkill: weights.readingSkill
        case .affect: weights.affect
        }
    }

    /// What to do about it; nothing for a good score.
    func advice(_ evaluation: Evaluation, isChinese: Bool) -> [String] {
        guard self.score(evaluation) < 92 else { return [] }
        let texts: (chinese: String, english: String) =
            switch self {
            case .integrity: ("请把漏读的字词补上，再完整读一遍。", "Some words are missing; read the whole text once more.")
            case .accuracy: ("先慢读得分最低的字，再回到正常语速。", "Say the lowest scored words slowly, then at your usual pace.")
            case .fluency: ("保持均匀的语速，减少句中停顿。", "Keep a steady pace and pause between phrases only.")
            case .readingSkill: ("试着在关键词上加重，在标点处换气。", "Stress the key words and breathe at punctuation marks.")
            case .affect: ("想一想说话人的心情，再带着语气读。", "Think of the speaker's mood and let it be heard.")
            }
        return [isChinese ? texts.chinese : texts.english]
    }

    /// The members of the composite report that hold advice, in their order.
    static let suggestionMembers: [(ReportDimension, StaticString)] = [
        (.integrity, #","integritySuggest":"#), (.accuracy, #","accuracySuggest":"#),
        (.fluency, #","fluencySuggest":"#), (.readingSkill, #","skillSuggest":"#), (.affect, #","emotionSuggest":"#),
    ]

    /// A sub-score of a dimension.
    struct Part {
        var key: StaticString
        var label: StaticString
        /// Nil when it is not assessed.
        var score: Double?
        /// Whether it carries the whole weight of the dimension; the others are for diagnosis.
        var isScored = false
        /// Whether it is an observation that never counts.
        var isReference = false
    }

    /// Its sub-scores in an evaluation.
    func parts(_ evaluation: Evaluation, isChinese: Bool) -> [Part] {
        let own = self.score(evaluation)
        switch self {
        case .integrity:
            return [Part(key: "completeness", label: "完整度", score: own, isScored: true)]
        case .accuracy:
            let common = [
                Part(key: "pronunciation", label: "发音", score: own, isScored: true),
                Part(key: "phoneme", label: "音素", score: evaluation.phonemes),
            ]
            guard isChinese else { return common }
            return common + [
                Part(key: "initial", label: "声母", score: evaluation.initials),
                Part(key: "final", label: "韵母", score: evaluation.finals),
                Part(key: "retroflex", label: "平翘舌", score: evaluation.hasRetroflex ? evaluation.retroflex : nil),
                Part(key: "nasalFinal", label: "前后鼻音", score: evaluation.nasals),
                Part(key: "pitchPattern", label: "声调/调型", score: evaluation.tone),
            ]
        case .fluency:
            return [
                Part(key: "flow", label: "流畅度", score: own, isScored: true),
                Part(key: "speechRate", label: "语速", score: evaluation.speedScore),
                Part(key: "naturalness", label: "自然度", score: evaluation.naturalness),
                Part(key: "readSpeedRaw", label: "实测语速", score: Double(evaluation.speed)),
            ]
        case .readingSkill:
            let common = [
                Part(key: "skill", label: "朗读技巧", score: own, isScored: true),
                Part(key: "pause", label: "停连", score: evaluation.pauses),
                Part(key: "stress", label: "重音", score: isChinese ? evaluation.stress : nil),
                Part(key: "intonation", label: "语气", score: evaluation.intonation),
                Part(key: "rhythm", label: "节奏", score: isChinese ? nil : evaluation.rhythm),
            ]
            guard isChinese else { return common }
            return common + [
                Part(key: "innerSpeech", label: "内在语", isReference: true),
                Part(key: "sceneRecreation", label: "情景再现", isReference: true),
                Part(key: "audienceAwareness", label: "对象感", isReference: true),
            ]
        case .affect:
            return [Part(key: "expressiveness", label: "情感表达", score: own, isScored: true)]
        }
    }
}
