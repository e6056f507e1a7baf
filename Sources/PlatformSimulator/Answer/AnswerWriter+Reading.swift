extension AnswerWriter {
    /// Writes what follows the record id when a text was read: kinds word, sentence, passage, alpha and pinyin.
    mutating func readingAnswer(_ evaluation: Evaluation, input: EvaluationInput) {
        self.raw(#""eof":1,"#)
        self.readingResult(evaluation, input: input)
        self.raw(#","report":"#)
        self.report(evaluation, input: input)
        self.standardAudio(input)
        self.raw(#","asrText":"#)
        self.asrText(evaluation, input: input)
        self.warningCodes(evaluation.warning)
    }

    /// Writes what follows the record id under a compat name: the result, and none of the members beside it (contract
    /// yugu, section 5).
    mutating func compatAnswer(_ evaluation: Evaluation, input: EvaluationInput) {
        self.readingResult(evaluation, input: input)
    }

    private mutating func readingResult(_ evaluation: Evaluation, input: EvaluationInput) {
        self.raw(#""result":{"paragraphs":[],"kernel_version":"1.0.0","resource_version":"1.0.0","overall":"#)
        self.score(evaluation.overall)
        self.member(#","pronunciation":"#, evaluation.accuracy)
        self.member(#","tone":"#, evaluation.tone)
        self.member(#","fluency":"#, evaluation.fluency)
        self.member(#","rhythm":"#, evaluation.rhythm)
        self.member(#","integrity":"#, evaluation.integrity)
        self.pace(evaluation)
        self.raw(#","numeric_duration":"#)
        self.number(evaluation.duration)
        self.raw(#","warning":"#)
        self.warnings(evaluation.warning)
        self.raw(#","words":["#)
        self.list(evaluation.words) { $0.word($1, isDetail: false) }
        self.raw(#"],"sentences":["#)
        switch input.coreType {
        case .word, .alpha: break
        default: self.sentences(evaluation, input: input)
        }
        self.raw(#"],"_language":"#)
        self.string(input.isChinese ? "zh" : "en")
        self.raw(#","_coreType":"#)
        self.string(input.answeredCoreType)
        self.compositeReport(evaluation, input: input)
        self.yuguScores(evaluation, input: input)
        self.details(evaluation, input: input)
        self.raw("}")
    }

    /// Writes how fast a text was read, how it ended and how long it took.
    mutating func pace(_ evaluation: Evaluation) {
        self.raw(#","speed":"#)
        self.integer(evaluation.speed)
        self.raw(#","rear_tone":"#)
        self.string(evaluation.rearTone)
        self.raw(#","duration":""#)
        self.seconds(evaluation.duration)
        self.raw("\"")
    }

    /// Writes a member name and a score.
    mutating func member(_ name: StaticString, _ score: Double) {
        self.raw(name)
        self.score(score)
    }

    /// Writes the audio quality warnings of a result.
    mutating func warnings(_ warning: AudioFacts.Warning?) {
        guard let warning else { return self.raw("[]") }
        self.raw(#"[{"code":"#)
        self.integer(warning.rawValue)
        self.raw(#","message":"#)
        self.string(warning.message)
        self.raw("}]")
    }

    /// Writes the codes of the warnings, with which an answer ends.
    mutating func warningCodes(_ warning: AudioFacts.Warning?) {
        self.raw(#","warnings":["#)
        if let warning { self.integer(warning.rawValue) }
        self.raw("]}")
    }

    /// Writes where the model reading is; nothing is to be found there.
    ///
    /// Unless it was asked for, it is an empty object, and missing from a realtime result (contract yugu, section 10.1).
    mutating func standardAudio(_ input: EvaluationInput) {
        guard input.includesStandardAudio else {
            if !input.isRealtime { self.raw(#","standardAudio":{}"#) }
            return
        }
        var random = DeterministicRandom(texts: [input.referenceText], seed: 1)
        self.raw(#","standardAudio":{"url":"/audio/standard/"#)
        self.escaped(HexadecimalText.make(random.next(), digits: 16))
        self.raw(#".wav","format":"wav","duration":""#)
        self.seconds(SpeechTones(SpeechOrder(text: input.referenceText)).duration)
        self.raw(#""}"#)
    }

    private mutating func sentences(_ evaluation: Evaluation, input: EvaluationInput) {
        let isPassage = input.coreType == .passage
        let text = input.referenceText.isEmpty ? input.refPinyin.joined(separator: " ") : input.referenceText
        let whole = TextSentence(text: text, units: evaluation.words.indices)
        let sentences = isPassage ? evaluation.sentences : [whole]
        self.list(sentences.indices) { writer, index in
            let sentence = sentences[index]
            let words = evaluation.words[sentence.units]
            let read = words.filter { $0.status != .skipped }
            let score = read.isEmpty ? 0 : read.reduce(0) { $0 + $1.score } / read.count
            writer.raw(#"{"sentence":"#)
            writer.string(sentence.text)
            if isPassage {
                writer.raw(#","text":"#)
                writer.string(sentence.text)
            }
            writer.raw(#","index":"#)
            writer.integer(index)
            if isPassage {
                writer.member(#","overall":"#, Double(score))
            }
            writer.member(#","scores":{"overall":"#, isPassage ? Double(score) : evaluation.overall.rounded())
            writer.member(#","pronunciation":"#, Double(score))
            writer.member(#","fluency":"#, evaluation.fluency)
            writer.member(
                #","integrity":"#,
                words.isEmpty ? 0 : 100 * Double(read.count) / Double(words.count)
            )
            writer.raw("}")
            if isPassage, let first = words.first, let last = words.last {
                writer.raw(#","span":"#)
                writer.span(first.span.lowerBound..<max(first.span.lowerBound, last.span.upperBound))
            }
            if input.includesDetails {
                writer.raw(#","details":["#)
                // A paragraph of one sentence repeats the whole words, as recorded.
                let isOnly = isPassage && sentences.count == 1
                writer.list(words) { $0.word($1, isDetail: !isOnly) }
                writer.raw("]")
            }
            writer.raw("}")
        }
    }

    private mutating func compositeReport(_ evaluation: Evaluation, input: EvaluationInput) {
        let isChinese = input.isChinese
        self.member(#","compositeReport":{"compositeScore":"#, evaluation.overall)
        self.member(#","integrityScore":"#, evaluation.integrity)
        self.member(#","accuracyScore":"#, evaluation.accuracy)
        if isChinese {
            self.member(#","toneVoiceScore":"#, evaluation.tone)
            if evaluation.hasRetroflex { self.member(#","tongueScore":"#, evaluation.retroflex) }
            self.member(#","nasalsScore":"#, evaluation.nasals)
        }
        self.member(#","pronunciationScore":"#, evaluation.accuracy)
        self.member(#","phonemeScore":"#, evaluation.phonemes)
        self.member(#","fluencyScore":"#, evaluation.fluency)
        self.member(#","fluentScore":"#, evaluation.fluency)
        self.member(#","readSpeedScore":"#, evaluation.speedScore)
        self.raw(#","readSpeed":"#)
        self.integer(evaluation.speed)
        self.member(#","skillScore":"#, evaluation.readingSkill)
        self.member(#","stopConnScore":"#, evaluation.pauses)
        if isChinese { self.member(#","stressScore":"#, evaluation.stress) }
        if isChinese || input.coreType == .sentence || input.coreType == .passage {
            self.member(#","intonationScore":"#, evaluation.intonation)
        }
        self.member(#","emotionScore":"#, evaluation.emotion)
        self.member(#","literalTotal":"#, evaluation.overall.rounded())
        if isChinese {
            self.member(#","toneScore":"#, evaluation.tone)
        } else {
            self.member(#","rhythmScore":"#, evaluation.rhythm)
        }
        self.member(#","completenessScore":"#, evaluation.integrity)
        for (dimension, name) in ReportDimension.suggestionMembers {
            guard let advice = dimension.advice(evaluation, isChinese: isChinese).first else { continue }
            self.raw(name)
            self.string(advice)
        }
        let isCompat = input.compatName != nil
        if isChinese, !isCompat {
            self.member(#","initialScore":"#, evaluation.initials)
            self.member(#","finalScore":"#, evaluation.finals)
        }
        if input.coreType == .word || input.coreType == .alpha || (isChinese && isCompat) {
            self.member(#","_engineLiteralTotal":"#, evaluation.overall.rounded())
        }
        self.member(#","_engineCompositeScore":"#, evaluation.overall.rounded())
        self.raw("}")
    }

    private mutating func yuguScores(_ evaluation: Evaluation, input: EvaluationInput) {
        let isChinese = input.isChinese
        self.member(#","yuguScores":{"overall":"#, evaluation.overall)
        self.member(#","integrity":"#, evaluation.integrity)
        self.member(#","accuracy":{"overall":"#, evaluation.accuracy)
        if isChinese {
            self.member(#","tone":"#, evaluation.tone)
            if evaluation.hasRetroflex { self.member(#","retroflex":"#, evaluation.retroflex) }
            self.member(#","nasal":"#, evaluation.nasals)
        }
        self.member(#","phoneme":"#, evaluation.phonemes)
        if isChinese, input.compatName == nil {
            self.member(#","initial":"#, evaluation.initials)
            self.member(#","final":"#, evaluation.finals)
        }
        self.member(#"},"fluency":{"overall":"#, evaluation.fluency)
        self.member(#","speed_score":"#, evaluation.speedScore)
        self.member(#","naturalness":"#, evaluation.naturalness)
        self.member(#"},"reading_skill":{"overall":"#, evaluation.readingSkill)
        self.member(#","pause":"#, evaluation.pauses)
        if isChinese { self.member(#","stress":"#, evaluation.stress) }
        self.member(#","intonation":"#, evaluation.intonation)
        if !isChinese { self.member(#","rhythm":"#, evaluation.rhythm) }
        self.member(#"},"prosody":"#, evaluation.readingSkill)
        self.member(#","emotion":"#, evaluation.emotion)
        if isChinese { self.member(#","tone":"#, evaluation.tone) }
        self.raw(#","rear_tone":"#)
        self.string(evaluation.rearTone)
        self.raw(#","speed":"#)
        self.integer(evaluation.speed)
        self.raw(#","duration_s":"#)
        self.number(evaluation.duration)
        self.raw("}")
    }

    /// Writes the scores that stand beside the total, and why the total is what it is.
    private mutating func details(_ evaluation: Evaluation, input: EvaluationInput) {
        // Chinese scores beside the total are recorded for native answers only.
        let hasChineseScores = input.isChinese && input.compatName == nil
        if hasChineseScores {
            self.member(#","initialScore":"#, evaluation.initials)
            self.member(#","finalScore":"#, evaluation.finals)
            if evaluation.hasRetroflex {
                self.member(#","tongueScore":"#, evaluation.retroflex)
                self.member(#","tongue":"#, evaluation.retroflex)
            }
            self.member(#","nasalsScore":"#, evaluation.nasals)
            self.member(#","nasals":"#, evaluation.nasals)
        }
        self.member(#","accuracy":"#, evaluation.accuracy)
        self.member(#","reading_skill":"#, evaluation.readingSkill)
        if hasChineseScores { self.member(#","emotion":"#, evaluation.emotion) }
        let mismatch = Mismatch(evaluation, input: input)
        if mismatch != nil {
            self.member(#","_enginePronunciation":"#, evaluation.accuracy)
            self.member(#","_engineAccuracy":"#, evaluation.accuracy)
            self.member(#","_engineIntegrity":"#, evaluation.integrity)
            self.member(#","_engineFluency":"#, evaluation.fluency)
            self.member(#","_engineReadingSkill":"#, evaluation.readingSkill)
        }
        self.member(#","_engineOverall":"#, evaluation.overall)
        self.raw(#","_overallCalibration":{"reason":"#)
        self.string(mismatch?.reason ?? "engine")
        if let mismatch {
            self.raw(",")
            self.evidence(mismatch)
            self.member(#","integrityCap":"#, evaluation.integrity)
        }
        self.member(#","evidenceScore":"#, evaluation.overall)
        self.raw(#","delta":0}"#)
        if let mismatch {
            self.raw(#","_dimensionCalibration":[{"dimension":"integrity","cap":"#)
            self.score(evaluation.integrity)
            self.raw(#","reason":"#)
            self.string(mismatch.reason)
            self.raw(",")
            self.evidence(mismatch)
            self.raw("}]")
        }
    }
}

extension Evaluation {
    /// Whether the text has a syllable that begins with a retroflex consonant.
    var hasRetroflex: Bool {
        self.words.contains { ["zh", "ch", "sh", "r"].contains($0.syllable?.initial) }
    }
}
