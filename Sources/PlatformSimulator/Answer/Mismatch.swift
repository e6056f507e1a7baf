/// What an independent recognition would have heard otherwise than the text says, when a word or letters were read.
struct Mismatch: Sendable {
    /// A token that was read as another.
    struct Substitution: Sendable {
        var index: Int
        var expected: String
        var recognized: String
    }

    /// Why scores are capped.
    let reason: String
    /// What should have been read, in lower case.
    let reference: [String]
    /// What was heard, in lower case.
    let recognized: [String]
    /// How many tokens were heard too many; for a single word.
    let extraTokens: Int
    /// The tokens that were read as others; for letters.
    let substitutions: [Substitution]

    /// Finds a mismatch in an evaluation, or nil.
    init?(_ evaluation: Evaluation, input: EvaluationInput) {
        guard !input.isChinese else { return nil }
        self.reference = evaluation.words.map { $0.unit.text.lowercased() }
        self.extraTokens = evaluation.extraWords
        switch input.coreType {
        case .word where evaluation.extraWords > 0:
            let around = ["this", "is", "what", "we", "call", "now"]
            self.reason = "english_word_overread_asr_evidence"
            self.recognized = (0..<evaluation.extraWords).map { around[$0 % around.count] } + self.reference
            self.substitutions = []
        case .alpha where !evaluation.substitutions.isEmpty:
            let reference = self.reference
            self.reason = "sentence_substitution_asr_evidence"
            self.substitutions = evaluation.substitutions.map { index in
                Substitution(index: index, expected: reference[index], recognized: Self.neighbour(of: reference[index]))
            }
            var heard = reference
            for substitution in self.substitutions { heard[substitution.index] = substitution.recognized }
            self.recognized = heard
        default:
            return nil
        }
    }

    /// The letter that a letter is mistaken for: the one behind it.
    private static func neighbour(of letter: String) -> String {
        guard let scalar = letter.unicodeScalars.first, letter != "z",
            let next = Unicode.Scalar(scalar.value + 1)
        else { return "a" }
        return String(next)
    }
}

extension AnswerWriter {
    /// Writes the members that prove a mismatch, without braces.
    mutating func evidence(_ mismatch: Mismatch) {
        if mismatch.substitutions.isEmpty {
            self.raw(#""referenceWord":"#)
            self.string(mismatch.reference.joined(separator: " "))
            self.raw(#","recognizedTranscript":"#)
            self.string(mismatch.recognized.joined(separator: " "))
            self.raw(#","extraTokens":"#)
            self.integer(mismatch.extraTokens)
        } else {
            self.raw(#""referenceTokens":"#)
            self.strings(mismatch.reference)
            self.raw(#","recognizedTokens":"#)
            self.strings(mismatch.recognized)
            self.raw(",")
            self.substitutions(mismatch)
        }
    }

    private mutating func substitutions(_ mismatch: Mismatch) {
        self.raw(#""mismatchTokens":"#)
        self.integer(mismatch.substitutions.count)
        self.raw(#","mismatches":["#)
        self.list(mismatch.substitutions) { writer, substitution in
            writer.raw(#"{"index":"#)
            writer.integer(substitution.index)
            writer.raw(#","expected":"#)
            writer.string(substitution.expected)
            writer.raw(#","recognized":"#)
            writer.string(substitution.recognized)
            writer.raw("}")
        }
        self.raw("]")
    }

    /// Writes the recognised text: evidence of a mismatch, the text with its alignment when asked for, else nothing.
    mutating func asrText(_ evaluation: Evaluation, input: EvaluationInput) {
        if let mismatch = Mismatch(evaluation, input: input) {
            self.raw(#"{"text":"#)
            self.string(mismatch.recognized.joined(separator: " "))
            if mismatch.substitutions.isEmpty {
                self.raw(#","overreadDetected":true,"extraTokens":"#)
                self.integer(mismatch.extraTokens)
            } else {
                self.raw(#","substitutionDetected":true,"#)
                self.substitutions(mismatch)
            }
            self.raw(#","source":"#)
            self.string(mismatch.reason)
            self.raw("}")
            return
        }
        guard input.includesASRText else { return self.raw("{}") }
        self.raw(#"{"text":"#)
        self.string(evaluation.readWords.map(\.unit.text).joined(separator: " "))
        self.raw(#","alignment":["#)
        var index = 0
        self.list(evaluation.words.indices) { writer, place in
            writer.alignment(evaluation.words[place], at: place, index: &index)
        }
        self.raw("]}")
    }

    /// One entry for a Chinese character, one for each letter of another word.
    private mutating func alignment(_ word: Evaluation.Word, at place: Int, index: inout Int) {
        let characters = word.unit.isChinese ? [word.unit.text] : word.unit.text.map(String.init)
        self.list(characters.indices) { writer, offset in
            let start = word.span.lowerBound + word.span.count * offset / characters.count
            let end = word.span.lowerBound + word.span.count * (offset + 1) / characters.count
            writer.raw(#"{"char":"#)
            writer.string(characters[offset])
            writer.raw(#","index":"#)
            writer.integer(index)
            writer.raw(#","read_status":"#)
            writer.string(word.status.rawValue)
            writer.raw(#","start_time":"#)
            writer.integer(start)
            writer.raw(#","end_time":"#)
            writer.integer(end)
            if let syllable = word.syllable {
                writer.recognition(of: syllable, in: word)
            } else {
                writer.raw(#","gop_score":"#)
                writer.integer(word.score)
                writer.raw(#","w":"#)
                writer.integer(place)
            }
            writer.raw("}")
            index += 1
        }
    }

    private mutating func recognition(of syllable: ChineseSyllable, in word: Evaluation.Word) {
        self.raw(#","asr_pinyin":""#)
        self.escaped(syllable.pinyin)
        self.integer(syllable.tone)
        self.raw(#"","asr_tone":"#)
        self.integer(syllable.tone)
        self.raw(#","asr_initial":"#)
        self.string(syllable.initial)
        self.raw(#","asr_final":"#)
        self.string(syllable.final)
        self.raw(#","gop_score":"#)
        self.integer(word.score)
        self.raw(#","tone_pred":"#)
        self.integer(syllable.tone)
        self.raw(#","p_neutral":"#)
        self.number(Double(100 - word.toneScore) / 1_000)
    }
}
