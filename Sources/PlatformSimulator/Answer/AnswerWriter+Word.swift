extension AnswerWriter {
    /// Writes an entry of `words`, or of a sentence's `details`, which lack the evidence and the read status.
    mutating func word(_ word: Evaluation.Word, isDetail: Bool) {
        self.raw(#"{"word":"#)
        self.string(word.unit.text)
        if let syllable = word.syllable {
            self.pinyin(syllable)
        }
        self.raw(#","charType":"#)
        self.integer(word.unit.isChinese ? 0 : 1)
        self.raw(#","readType":"#)
        self.integer(word.status.readType)
        if let syllable = word.syllable {
            self.raw(#","tone":"tone"#)
            self.integer(syllable.tone)
            self.raw("\"")
        }
        self.scores(of: word)
        self.raw(#","span":"#)
        self.span(word.span)
        self.raw(#","pause":{"type":"#)
        self.integer(word.pause > 0 ? 1 : 0)
        self.raw(#","duration":"#)
        self.integer(word.pause)
        self.raw(#"},"phonemes":["#)
        self.list(word.phonemes) { $0.phoneme($1, isChinese: word.unit.isChinese) }
        self.raw(#"],"normalized_syllables":["#)
        if let syllable = word.syllable {
            self.normalizedSyllable(syllable, of: word)
        }
        let spelling = word.sounds?.syllables.map(\.spelling).joined() ?? word.unit.text
        self.raw(#"],"word_parts":[{"part":"#)
        self.string(spelling)
        self.raw(#","charType":"#)
        self.integer(word.unit.isChinese ? 0 : 1)
        self.raw(#","beginIndex":0,"endIndex":"#)
        self.integer(max(0, spelling.unicodeScalars.count - 1))
        self.raw(#"}],"phonics":["#)
        if let sounds = word.sounds { self.phonics(sounds, of: word) }
        self.raw(#"],"linkable":false,"syllables":["#)
        if let sounds = word.sounds { self.syllables(sounds, of: word) }
        self.raw("]")
        if !isDetail {
            self.evidence(of: word)
        }
        self.raw("}")
    }

    private mutating func pinyin(_ syllable: ChineseSyllable) {
        self.raw(#","pinyin":"#)
        self.string(syllable.pinyin)
        self.raw(#","rawpinyin":""#)
        self.escaped(syllable.pinyin)
        self.integer(syllable.tone)
        self.raw(#"","symbolpinyin":"#)
        self.string(syllable.symbolPinyin)
    }

    private mutating func scores(of word: Evaluation.Word) {
        self.raw(#","scores":{"overall":"#)
        self.score(word.score)
        self.raw(#","pronunciation":"#)
        self.score(word.score)
        self.raw(#","tone":"#)
        self.score(word.toneScore)
        self.raw(#","overall_pron":"#)
        self.score(word.score)
        self.raw(#","prominence":"#)
        self.integer(word.isProminent ? 1 : 0)
        if let sounds = word.sounds {
            self.raw(#","stress":["#)
            self.stress(sounds, of: word)
            self.raw("]")
        }
        self.raw("}")
    }

    /// One entry for each vowel; the first is the stressed one.
    private mutating func stress(_ sounds: EnglishSounds, of word: Evaluation.Word) {
        let vowels = sounds.sounds.indices.filter { EnglishSounds.isVowel(sounds.sounds[$0]) }
        let spelling = sounds.syllables.map(\.spelling).joined()
        self.list(vowels) { writer, place in
            let isStressed = place == vowels.first ? 1 : 0
            writer.raw(#"{"ref_stress":"#)
            writer.integer(isStressed)
            writer.raw(#","stress":"#)
            writer.integer(isStressed)
            writer.raw(#","overall":"#)
            writer.score(word.phonemes[place].score)
            writer.raw(#","spell":"#)
            writer.string(spelling)
            writer.raw(#","phoneme_offset":"#)
            writer.integer(place)
            writer.raw(#","phonetic":"#)
            writer.string(sounds.sounds[place])
            writer.raw("}")
        }
    }

    /// Writes a place in the recording.
    mutating func span(_ span: Range<Int>) {
        self.raw(#"{"start":"#)
        self.integer(span.lowerBound)
        self.raw(#","end":"#)
        self.integer(span.upperBound)
        self.raw("}")
    }

    private mutating func phoneme(_ phoneme: Evaluation.Phoneme, isChinese: Bool) {
        self.raw(#"{"phoneme":"#)
        self.string(isChinese ? phoneme.symbol.uppercased() : phoneme.symbol.lowercased())
        self.raw(#","phone":"#)
        self.string(phoneme.symbol.lowercased())
        self.raw(#","category":"#)
        self.integer(phoneme.category)
        self.raw(#","pronunciation":"#)
        self.score(phoneme.score)
        self.raw(#","tone_index":""#)
        self.integer(phoneme.toneIndex)
        self.raw(#"","span":"#)
        self.span(phoneme.span)
        self.raw("}")
    }

    private mutating func normalizedSyllable(_ syllable: ChineseSyllable, of word: Evaluation.Word) {
        self.raw(#"{"syllables":"#)
        self.string(word.unit.text)
        self.raw(#","pinyin":"#)
        self.string(syllable.pinyin)
        self.raw(#","tone":"tone"#)
        self.integer(syllable.tone)
        self.raw(#"","tone_sandhi":"tone"#)
        self.integer(syllable.tone)
        self.raw(#"","phoneme_span":[0,"#)
        self.integer(max(0, word.phonemes.count - 1))
        self.raw("]}")
    }

    private mutating func phonics(_ sounds: EnglishSounds, of word: Evaluation.Word) {
        self.list(sounds.groups) { writer, group in
            writer.raw(#"{"spell":"#)
            writer.string(group.spelling)
            writer.raw(#","phoneme":"#)
            writer.strings(group.sounds)
            writer.raw(#","overall":"#)
            writer.score(word.score)
            writer.raw("}")
        }
    }

    private mutating func syllables(_ sounds: EnglishSounds, of word: Evaluation.Word) {
        self.list(sounds.syllables) { writer, syllable in
            writer.raw(#"{"syllable":""#)
            for sound in sounds.sounds[syllable.sounds] { writer.escaped(sound.lowercased()) }
            writer.raw(#"","grapheme":"#)
            writer.string(syllable.spelling)
            writer.raw(#","accuracy":"#)
            writer.score(word.score)
            writer.raw("}")
        }
    }

    private mutating func evidence(of word: Evaluation.Word) {
        if word.unit.isChinese {
            self.raw(#","evidence":{"scored":false,"rms_db":"#)
            self.number((word.decibels * 10).rounded() / 10)
            self.raw(#","rel_db":"#)
            self.number(word.isProminent ? 3.5 : -0.5)
            self.raw(#","dur_ms":"#)
            self.integer(word.span.count * 10)
            self.raw(#","dur_ratio":"#)
            self.number(Double(word.span.count) / 20)
            self.raw(#","sfgop":"#)
            self.number(Double(word.score) / 100)
            self.raw("}")
        } else if word.status == .mispronounced {
            self.raw(#","error_type":"Mispronunciation""#)
        }
        self.raw(#","readStatus":"#)
        self.string(word.status.rawValue)
        self.raw(#","read_status":"#)
        self.string(word.status.rawValue)
    }
}
