extension AnswerWriter {
    /// Writes what follows the record id when connected speech was judged; the total is `connected_overall`.
    mutating func connectedAnswer(_ evaluation: Evaluation, input: EvaluationInput) {
        let boundaries = zip(evaluation.words, evaluation.words.dropFirst()).map { Boundary($0, $1) }
        func mean(_ kind: Boundary.Kind) -> Double {
            let scores = boundaries.filter { $0.kind == kind }.map(\.realized)
            return scores.isEmpty ? 0 : 100 * scores.reduce(0, +) / Double(scores.count)
        }
        let linking = boundaries.filter { $0.kind.isLinking }.map(\.realized)
        let linkingRate = linking.isEmpty ? 0 : linking.reduce(0, +) / Double(linking.count)
        self.member(#""eof":1,"result":{"connected_overall":"#, evaluation.overall)
        self.member(#","linking":"#, 100 * linkingRate)
        self.member(#","rhythm":"#, evaluation.rhythm)
        self.member(#","elision":"#, mean(.elision))
        self.member(#","reduction":"#, mean(.reduction))
        self.raw(#","raw":{"linking_rate":"#)
        self.number(linkingRate)
        self.raw(#","reduction_ratio":"#)
        self.number(mean(.reduction) / 100)
        self.raw(#","nPVI_V":"#)
        self.number(40 + evaluation.rhythm / 4)
        self.raw(#","rPVI_C":"#)
        self.number(60 + evaluation.stress / 2)
        self.raw(#","pctV":"#)
        self.number(45)
        self.raw(#","varcoV":"#)
        self.number(40)
        self.raw(#","varcoC":"#)
        self.number(60)
        self.raw(#","n_vintervals":"#)
        self.integer(evaluation.readWords.count)
        self.raw(#"},"n_boundaries":"#)
        self.integer(boundaries.count)
        self.raw(#","boundaries":["#)
        self.list(boundaries) { $0.boundary($1) }
        self.raw(#"],"calibrated":true,"classifier":true,"posterior_used":true,"coverage":"#)
        self.coverage(evaluation)
        self.raw(#","warning":"#)
        self.warnings(evaluation.warning)
        self.raw(#","report":{"summary":"#)
        let isSmooth = linkingRate > 0.7
        self.string(
            isSmooth
                ? "Most words run into each other as they do in natural speech."
                : "The words stand apart; let the end of one lead into the next."
        )
        self.raw(#","suggestions":"#)
        self.strings(
            boundaries.filter { $0.realized < 0.7 }.prefix(3).map {
                "Say '\($0.left) \($0.right)' as if it were one word."
            }
        )
        self.raw(#","dimensions":{},"source":"simulator"},"_language":"#)
        self.string(input.isChinese ? "zh" : "en")
        self.raw(#","_coreType":"connected"},"report":{"#)
        self.scoringContext(input, profile: "sim_default")
        self.raw(#","rubricVersion":"sim-1","#)
        self.unscoredTree(input)
        self.raw(#","dimensionScores":{},"#)
        self.raw(
            #""dimensionEvidence":{"accuracy":[],"fluency":[],"integrity":[],"affect":[],"speechRate":[]}}"#
        )
        self.standardAudio(input)
        self.raw(#","asrText":{}"#)
        self.warningCodes(evaluation.warning)
    }

    private mutating func boundary(_ boundary: Boundary) {
        self.raw(#"{"between":"#)
        self.strings([boundary.left, boundary.right])
        self.raw(#","tags":"#)
        self.strings([boundary.kind.rawValue])
        self.raw(#","gap_ms":"#)
        self.integer(boundary.gap * 10)
        self.raw(#","continuity":"#)
        self.number(boundary.realized)
        if boundary.kind.isLinking {
            self.raw(#","posterior_linking":"#)
            self.number(boundary.realized)
        }
        self.raw(#","realized":"#)
        self.number(boundary.realized)
        self.raw(#","start_ms":"#)
        self.integer(boundary.span.lowerBound * 10)
        self.raw(#","end_ms":"#)
        self.integer(boundary.span.upperBound * 10)
        self.raw(boundary.isCovered ? #","covered":true}"# : #","covered":false}"#)
    }

    private mutating func coverage(_ evaluation: Evaluation) {
        let read = evaluation.words.indices.filter { evaluation.words[$0].status != .skipped }
        self.raw(#"{"ratio":"#)
        self.number(evaluation.words.isEmpty ? 0 : Double(read.count) / Double(evaluation.words.count))
        self.raw(#","covered_words":"#)
        self.integer(read.count)
        self.raw(#","n_words":"#)
        self.integer(evaluation.words.count)
        self.raw(#","uncovered_words":"#)
        self.strings(evaluation.words.filter { $0.status == .skipped }.map(\.unit.text))
        self.raw(#","word_logp":["#)
        self.list(read) { $0.number(-Double(100 - evaluation.words[$1].score) / 20) }
        self.raw(#"],"threshold_logp":-4.5,"decoded_words":["#)
        self.list(read) { $0.integer($1) }
        self.raw(read.isEmpty ? #"],"scored":false}"# : #"],"scored":true}"#)
    }

    /// Writes a dimension tree in which nothing is assessed.
    private mutating func unscoredTree(_ input: EvaluationInput) {
        self.dimensionTreeHead(input)
        self.raw(#","dims":{"#)
        self.list(ReportDimension.all(isChinese: input.isChinese)) { writer, dimension in
            writer.dimensionHead(dimension)
            writer.raw(#","scored":false,"subs":["#)
            writer.list(dimension.parts(Evaluation(), isChinese: input.isChinese)) { writer, part in
                writer.raw(#"{"key":""#)
                writer.raw(part.key)
                writer.raw(#"","label":""#)
                writer.raw(part.label)
                writer.raw(#"","weight":"#)
                writer.integer(part.isScored ? 1 : 0)
                writer.raw(#","scored":false"#)
                if !part.isScored {
                    writer.raw(#","diagnostic":true,"notAssessedReason":"source_metric_unavailable""#)
                }
                writer.raw("}")
            }
            writer.raw("]}")
        }
        self.raw(#"},"contractStatus":"verified"}"#)
    }
}

/// The place where one word meets the next.
struct Boundary: Sendable {
    /// What happens there in connected speech.
    enum Kind: String, Sendable {
        case linkingConsonantVowel = "linking_CV"
        case linkingVowelVowel = "linking_VV"
        case elision
        case reduction

        /// Whether the words are linked.
        var isLinking: Bool { self == .linkingConsonantVowel || self == .linkingVowelVowel }
    }

    let left: String
    let right: String
    let kind: Kind
    /// In units of 10 ms.
    let gap: Int
    /// In units of 10 ms.
    let span: Range<Int>
    /// How well it was done, from 0 to 1.
    let realized: Double
    let isCovered: Bool

    /// Judges the border between two words by their spelling and the time between them.
    init(_ left: Evaluation.Word, _ right: Evaluation.Word) {
        self.left = left.unit.text
        self.right = right.unit.text
        let last = left.sounds?.sounds.last ?? "AH"
        let first = right.sounds?.sounds.first ?? "AH"
        self.kind =
            switch (EnglishSounds.isVowel(last), EnglishSounds.isVowel(first)) {
            case (false, true): .linkingConsonantVowel
            case (true, true): .linkingVowelVowel
            case (false, false): .elision
            case (true, false): .reduction
            }
        self.isCovered = left.status != .skipped && right.status != .skipped
        self.gap = max(0, right.span.lowerBound - left.span.upperBound)
        self.span = left.span.lowerBound..<max(left.span.lowerBound, right.span.upperBound)
        let smoothness = Double(left.score + right.score) / 200
        self.realized = self.isCovered ? max(0, smoothness - Double(self.gap) / 50) : 0
    }
}
