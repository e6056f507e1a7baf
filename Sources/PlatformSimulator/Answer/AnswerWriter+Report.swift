extension AnswerWriter {
    /// Writes the report of a reading.
    mutating func report(_ evaluation: Evaluation, input: EvaluationInput) {
        let isChinese = input.isChinese
        self.raw("{")
        if input.includesReport {
            self.summaryAndSuggestions(evaluation, isChinese: isChinese)
        }
        if isChinese || input.includesReport {
            self.dimensionTexts(evaluation, isChinese: isChinese, isEnglishText: !isChinese)
            self.raw(",")
        }
        if !isChinese, input.includesReport {
            self.chineseTexts(evaluation)
        }
        self.dimensionSuggestions(evaluation, isChinese: isChinese, isEnglishText: !isChinese)
        self.raw(#","rubricVersion":"sim-1","scores":{"compositeScore":"#)
        self.score(evaluation.overall)
        self.raw("},")
        self.dimensionScores(evaluation, isChinese: isChinese)
        self.raw(",")
        self.dimensionEvidence(evaluation)
        self.raw(",")
        self.scoringContext(input, profile: "sim_default")
        if let mismatch = Mismatch(evaluation, input: input) {
            self.raw(",")
            self.adjudications(evaluation, mismatch: mismatch)
        }
        self.raw(",")
        self.dimensionTree(evaluation, input: input)
        self.raw("}")
    }

    /// Writes what follows the record id in the answer of the report endpoint (contract yugu, section 6.2).
    mutating func reportRecord(_ evaluation: Evaluation, input: EvaluationInput) {
        self.member(#""score":{"overall":"#, evaluation.overall)
        self.member(#","pronunciation":"#, evaluation.accuracy)
        self.member(#","fluency":"#, evaluation.fluency)
        self.member(#","integrity":"#, evaluation.integrity)
        self.member(#","tone":"#, evaluation.tone)
        self.member(#","rhythm":"#, evaluation.rhythm)
        self.pace(evaluation)
        self.raw(#","warning":"#)
        self.warnings(evaluation.warning)
        self.raw(#"},"report":{"#)
        if input.includesReport {
            self.summaryAndSuggestions(evaluation, isChinese: input.isChinese)
        }
        switch input.coreType {
        case .open, .connected: self.raw(#""dimensionScores":{}"#)
        default: self.dimensionScores(evaluation, isChinese: input.isChinese)
        }
        self.raw(#","rubricVersion":"sim-1"}}"#)
    }

    private mutating func summaryAndSuggestions(_ evaluation: Evaluation, isChinese: Bool) {
        self.raw(#""summary":"#)
        self.string(Self.summary(evaluation, isChinese: isChinese))
        self.raw(#","suggestions":"#)
        self.strings(ReportDimension.allCases.flatMap { $0.advice(evaluation, isChinese: isChinese) })
        self.raw(",")
    }

    private static func summary(_ evaluation: Evaluation, isChinese: Bool) -> String {
        let total = Int(evaluation.overall.rounded())
        guard evaluation.warning != .noValidAudio else {
            return isChinese ? "没有听到有效的朗读，请重新录音。" : "No speech was heard; please record again."
        }
        return isChinese
            ? "本次朗读总分 \(total) 分，读出 \(evaluation.readWords.count) 个字词，每分钟约 \(evaluation.speed) 个。"
            : "This reading scores \(total): \(evaluation.readWords.count) words at about \(evaluation.speed) a minute."
    }

    private mutating func dimensionTexts(_ evaluation: Evaluation, isChinese: Bool, isEnglishText: Bool) {
        self.raw(#""dimensions":{"#)
        self.list(ReportDimension.all(isChinese: isChinese)) { writer, dimension in
            let score = Int(dimension.score(evaluation).rounded())
            writer.string(dimension.textKey)
            writer.raw(":")
            let name = dimension.key.split(separator: "_").joined(separator: " ")
            writer.string(isEnglishText ? "The \(name) score is \(score)." : "\(dimension.label)得分为 \(score) 分。")
        }
        self.raw("}")
    }

    private mutating func dimensionSuggestions(_ evaluation: Evaluation, isChinese: Bool, isEnglishText: Bool) {
        self.raw(#""dimensionSuggestions":{"#)
        self.list(ReportDimension.all(isChinese: isChinese)) { writer, dimension in
            writer.string(dimension.textKey)
            writer.raw(":")
            writer.strings(dimension.advice(evaluation, isChinese: !isEnglishText))
        }
        self.raw("}")
    }

    /// English reports carry their texts in Chinese as well.
    private mutating func chineseTexts(_ evaluation: Evaluation) {
        self.raw(#""i18n":{"zh":{"summary":"#)
        self.string(Self.summary(evaluation, isChinese: true))
        self.raw(",")
        self.dimensionTexts(evaluation, isChinese: true, isEnglishText: false)
        self.raw(#","suggestions":"#)
        self.strings(ReportDimension.allCases.flatMap { $0.advice(evaluation, isChinese: true) })
        self.raw(",")
        self.dimensionSuggestions(evaluation, isChinese: false, isEnglishText: false)
        self.raw("}},")
    }

    private mutating func dimensionScores(_ evaluation: Evaluation, isChinese: Bool) {
        self.member(#""dimensionScores":{"accuracy":"#, evaluation.accuracy)
        self.member(#","fluency":"#, evaluation.fluency)
        self.member(#","integrity":"#, evaluation.integrity)
        self.member(#","reading_skill":"#, evaluation.readingSkill)
        if isChinese {
            self.raw(#","affect":"#)
            // Where nothing was heard, nothing was felt either: not assessed.
            if evaluation.warning == .noValidAudio { self.raw("null") } else { self.score(evaluation.emotion) }
        }
        self.member(#","speechRate":"#, evaluation.speedScore)
        self.raw(#","readSpeedRaw":"#)
        self.integer(evaluation.speed)
        self.raw("}")
    }

    private mutating func dimensionEvidence(_ evaluation: Evaluation) {
        self.raw(#""dimensionEvidence":{"accuracy":["#)
        let weak = evaluation.words.filter {
            $0.status == .mispronounced || ($0.syllable != nil && $0.status == .correct && $0.toneScore < 60)
        }
        self.list(weak.prefix(20)) { writer, word in
            let isMisread = word.status == .mispronounced
            writer.raw(#"{"word":"#)
            writer.string(word.unit.text)
            writer.raw(#","type":"#)
            writer.string(isMisread ? "severePhoneme" : "pitchLow")
            writer.raw(#","detail":"#)
            writer.string(isMisread ? "发音 \(word.score) 分" : "声调 \(word.toneScore) 分")
            writer.raw("}")
        }
        self.raw(#"],"fluency":[],"integrity":[],"affect":[],"speechRate":["#)
        if evaluation.speedScore < 60 {
            self.raw(#"{"word":"","type":"paceDeviation","detail":"语速 "#)
            self.integer(Int(evaluation.speedScore))
            self.raw(#" 分"}"#)
        }
        self.raw("]}")
    }

    /// Writes the member that names the weights.
    mutating func scoringContext(_ input: EvaluationInput, profile: String) {
        self.raw(#""scoringContext":{"agegroup":"#)
        self.integer(input.ageGroup)
        self.raw(#","weightProfile":"#)
        self.string(profile)
        self.raw(#","weightPolicyVersion":"sim-weights-1"}"#)
    }

    private mutating func adjudications(_ evaluation: Evaluation, mismatch: Mismatch) {
        self.raw(#""adjudications":[{"dim":"integrity","rule":"explicit_dimension_cap","basis":"#)
        self.string(mismatch.reason)
        self.raw(#","before":100,"after":"#)
        self.score(evaluation.integrity)
        self.raw("}]")
    }

    private mutating func dimensionTree(_ evaluation: Evaluation, input: EvaluationInput) {
        let weights = DimensionWeights(isChinese: input.isChinese)
        let mismatch = Mismatch(evaluation, input: input)
        self.dimensionTreeHead(input)
        self.raw(#","overall":"#)
        self.score(evaluation.overall)
        self.raw(#","dims":{"#)
        self.list(ReportDimension.all(isChinese: input.isChinese)) { writer, dimension in
            let score = dimension.score(evaluation)
            writer.dimensionHead(dimension)
            writer.member(#","score":"#, score)
            writer.raw(#","scored":true,"weightedContribution":"#)
            writer.score(score * dimension.weight(weights))
            writer.member(#","engineScore":"#, score)
            writer.raw(#","subs":["#)
            writer.list(dimension.parts(evaluation, isChinese: input.isChinese)) { $0.part($1) }
            writer.raw("]")
            if let mismatch {
                writer.raw(",")
                writer.adjudications(evaluation, mismatch: mismatch)
            }
            writer.raw("}")
        }
        self.raw(#"},"contractStatus":"verified"}"#)
    }

    /// Writes the beginning of a dimension tree, up to its weights.
    mutating func dimensionTreeHead(_ input: EvaluationInput) {
        let weights = DimensionWeights(isChinese: input.isChinese)
        self.raw(
            #""dimensionTree":{"rubricVersion":"sim-1","contractMode":"simulated","curriculumFramework":"simulated","agegroup":"#
        )
        self.integer(input.ageGroup)
        self.raw(#","weightProfile":"sim_default","weightPolicyVersion":"sim-weights-1","weights":{"#)
        self.list(ReportDimension.all(isChinese: input.isChinese)) { writer, dimension in
            writer.string(dimension.key)
            writer.raw(":")
            writer.number(dimension.weight(weights))
        }
        self.raw("}")
    }

    /// Writes the name of a dimension in a tree and the beginning of its object.
    mutating func dimensionHead(_ dimension: ReportDimension) {
        self.string(dimension.key)
        self.raw(#":{"curriculumAxis":"#)
        self.string(dimension.axis)
        self.raw(#","label":"#)
        self.string(dimension.label)
    }

    private mutating func part(_ part: ReportDimension.Part) {
        self.raw(#"{"key":""#)
        self.raw(part.key)
        self.raw(#"","label":""#)
        self.raw(part.label)
        self.raw("\"")
        if let score = part.score { self.member(#","score":"#, score) }
        self.raw(#","weight":"#)
        self.integer(part.isScored ? 1 : 0)
        self.raw(part.isScored ? #","scored":true"# : #","scored":false,"diagnostic":true"#)
        if part.isReference {
            self.raw(
                #","referenceOnly":true,"source":"report.skillInsights","notScoredReason":"reference_observation_only""#
            )
            self.raw(#","notAssessedReason":"skill_insight_unavailable""#)
        } else if part.score == nil {
            self.raw(#","notAssessedReason":"source_metric_unavailable""#)
        }
        self.raw("}")
    }
}
