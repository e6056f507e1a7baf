extension AnswerWriter {
    /// Writes what follows the record id when free speech was judged.
    ///
    /// There is no recognition behind it, so the transcript says that it is a simulated one.
    mutating func openAnswer(_ evaluation: Evaluation, input: EvaluationInput, audio: AudioFacts) {
        let hasSpeech = evaluation.warning != .noValidAudio
        let (content, language, delivery) = evaluation.openParts
        let overall = evaluation.overall
        // People speak some three and a half characters, or two words, in a second.
        let units = Int(evaluation.voicedSeconds * (input.isChinese ? 3.5 : 2))
        let isLowYield = units < 10 || evaluation.voicedSeconds < 2
        self.raw(#""eof":1,"result":{"taskType":"#)
        self.string(input.taskType)
        self.raw(#","language":"#)
        self.string(input.isChinese ? "zh" : "en")
        self.raw(#","duration_s":"#)
        self.number(evaluation.duration)
        self.raw(#","transcript":"#)
        self.string(hasSpeech ? Self.transcript(input, units: units) : "")
        self.raw(hasSpeech ? #","hasSpeech":true,"overall":"# : #","hasSpeech":false,"overall":"#)
        self.score(overall)
        self.raw(#","aggregation":{"formula":"overall = 0.35*content + 0.35*languageUse + 0.30*delivery","#)
        self.raw(#""weights":{"content":0.35,"languageUse":0.35,"delivery":0.3},"level":2,"envelope":[0,100],"#)
        self.raw(#""clamped":false,"capRule":{"offTopic":{"relevanceMax":30,"cap":45},"#)
        self.raw(#""lowYield":{"minUnits":10,"minVoicedS":2,"cap":55},"applied":false,"ceiling":100,"beforeCap":"#)
        self.score(overall)
        self.member(#"}},"content":{"overall":"#, content)
        self.member(#","relevance":"#, content)
        self.member(#","coherence":"#, max(0, content - 2))
        self.member(#","task_achievement":"#, content)
        self.member(#"},"languageUse":{"overall":"#, language)
        self.member(#","grammar":"#, language)
        self.member(#","vocabulary":"#, max(0, language - 4))
        self.member(#"},"delivery":{"overall":"#, delivery)
        self.member(#","fluency":"#, delivery)
        self.member(#","pronunciation":"#, evaluation.accuracy)
        self.raw(#","speech_rate":"#)
        self.number(evaluation.spanSeconds > 0 ? Double(units) / evaluation.spanSeconds : 0)
        self.raw(#","speech_rate_label":""#)
        self.number(evaluation.spanSeconds > 0 ? (60 * Double(units) / evaluation.spanSeconds).rounded() : 0)
        self.raw(input.isChinese ? #" 字/分","n_pauses":"# : #" words/min","n_pauses":"#)
        self.integer(max(0, audio.voiced.count - 1))
        self.raw(#","longest_pause_s":"#)
        let pauses = zip(audio.voiced, audio.voiced.dropFirst()).map { $1.lowerBound - $0.upperBound }
        self.number(Double(pauses.max() ?? 0) / 100)
        self.raw(#","voiced_s":"#)
        self.number(evaluation.voicedSeconds)
        self.raw(#","speech_span_s":"#)
        self.number(evaluation.spanSeconds)
        self.raw("}")
        self.feedback(input, hasSpeech: hasSpeech)
        self.raw(#","audioQuality":{"mos":"#)
        self.number(hasSpeech ? 4.2 : 1)
        self.raw(#","quality":"#)
        self.integer(hasSpeech ? 85 : 0)
        self.raw(#"},"warning":"#)
        self.warnings(evaluation.warning)
        self.raw(#","openTaskAudit":{"promptEcho":false,"lowContent":false,"offTopic":false,"lowYield":"#)
        self.raw(isLowYield ? "true" : "false")
        let isUngrounded = input.taskType == "picture" && input.picture == nil
        self.raw(isUngrounded ? #","pictureUngrounded":true"# : #","pictureUngrounded":false"#)
        self.raw(#","capApplied":false,"answerUnits":"#)
        self.integer(units)
        self.raw(#"},"rubricVersion":"sim-1","scoringSource":"simulator","calibrated":false,"_language":"#)
        self.string(input.isChinese ? "zh" : "en")
        self.raw(#","_coreType":"open"},"report":"#)
        self.openReport(input, overall: overall)
        self.standardAudio(input)
        self.raw(#","asrText":{}"#)
        self.warningCodes(evaluation.warning)
    }

    private static func transcript(_ input: EvaluationInput, units: Int) -> String {
        input.isChinese
            ? "这是模拟平台的转写，围绕“\(input.referenceText)”大约说了\(units)个字。"
            : "This is a simulated transcript of about \(units) words on \"\(input.referenceText)\"."
    }

    private mutating func feedback(_ input: EvaluationInput, hasSpeech: Bool) {
        let texts: [String] =
            input.isChinese
            ? [
                hasSpeech ? "内容与题目有关。" : "没有听到有效的回答。", "例子可以再具体一些。", "先说观点，再说理由。",
                "多用几个连接词。",
            ]
            : [
                hasSpeech ? "The answer keeps to the task." : "No answer was heard.",
                "The examples could be more concrete.", "State your point first, then the reasons.",
                "Use a few more linking words.",
            ]
        self.raw(#","feedback":{"strengths":"#)
        self.string(texts[0])
        self.raw(#","weaknesses":"#)
        self.string(texts[1])
        self.raw(#","suggestions":"#)
        self.strings(Array(texts[2...]))
        self.raw("}")
    }

    private mutating func openReport(_ input: EvaluationInput, overall: Double) {
        self.raw("{")
        self.scoringContext(input, profile: "sim_open")
        self.member(#","scores":{"compositeScore":"#, overall)
        self.raw(#"},"rubricVersion":"sim-1","rubricBackfilled":true,"dimensionScores":{},"dimensionTree":{"#)
        self.raw(#""rubricVersion":"sim-1","contractMode":"simulated","contractStatus":"simulated","#)
        self.raw(#""curriculumFramework":"simulated","weightProfile":"sim_open","#)
        self.raw(#""weightPolicyVersion":"sim-weights-1","openLevel":2,"#)
        self.raw(#""weights":{"content":0.35,"languageUse":0.35,"delivery":0.3},"overall":"#)
        self.score(overall)
        self.raw(#","dims":{"#)
        let dimensions = [("content", "内容表达"), ("languageUse", "语言运用"), ("delivery", "表达呈现")]
        self.list(dimensions) { writer, dimension in
            writer.string(dimension.0)
            writer.raw(#":{"curriculumAxis":"#)
            writer.string(dimension.0)
            writer.raw(#","scored":false,"subs":[{"key":"#)
            writer.string(dimension.0)
            writer.raw(#","label":"#)
            writer.string(dimension.1)
            writer.raw(#","weight":1,"scored":false}],"notAssessedReason":"not_assessed"}"#)
        }
        self.raw(#"}},"dimensionEvidence":"#)
        self.raw(#"{"accuracy":[],"fluency":[],"integrity":[],"affect":[],"speechRate":[]}}"#)
    }
}
