import Cryptography

/// Scores a reading from its text and its audio: no recognition, but the same input always gives the same numbers, and
/// silence, haste, a low level and clipping cost what they should.
struct Scorer {
    private let input: EvaluationInput
    private let audio: AudioFacts
    private var random: DeterministicRandom
    private var result = Evaluation()

    /// Evaluates one recording.
    static func evaluate(_ input: EvaluationInput, audio: AudioFacts) -> Evaluation {
        var scorer = Scorer(input: input, audio: audio)
        scorer.run()
        return scorer.result
    }

    private init(input: EvaluationInput, audio: AudioFacts) {
        self.input = input
        self.audio = audio
        let seed = audio.digest.withBytes { $0.loadUnaligned(as: UInt64.self) }
        let language = input.isChinese ? "zh" : "en"
        self.random = DeterministicRandom(
            texts: [input.coreType.rawValue, language, input.referenceText] + input.refPinyin
                + [input.picture?.hex].compactMap(\.self),
            seed: UInt64(littleEndian: seed)
        )
    }

    private mutating func run() {
        let text =
            self.input.referenceText.isEmpty
            ? TextUnits(syllables: self.input.refPinyin)
            : TextUnits(self.input.referenceText, byLetter: self.input.coreType == .alpha)
        self.result.sentences = text.sentences
        self.result.duration = (self.audio.duration * 1_000).rounded() / 1_000
        self.result.warning = self.audio.warning
        let voiced = self.audio.voiced
        self.result.voicedSeconds = Double(voiced.reduce(0) { $0 + $1.count }) / 100
        if let first = voiced.first, let last = voiced.last {
            self.result.spanSeconds = Double(last.upperBound - first.lowerBound) / 100
        }
        self.placeWords(text.units)
        guard self.audio.warning != .noValidAudio else { return }
        self.scoreDimensions()
    }

    // MARK: Words

    /// Spreads the units over the stretches of speech, by their weight; what does not fit was not read.
    private mutating func placeWords(_ units: [TextUnit]) {
        let timeline = SpeechTimeline(self.audio.voiced)
        let weights = units.map { $0.isChinese ? 10 : 6 + 4 * min(12, $0.text.utf8.count) }
        var fitting = 0
        var shortest = 0
        for (unit, weight) in zip(units, weights) {
            // Nobody speaks a character in less than 80 ms.
            shortest += unit.isChinese ? 8 : weight / 2
            guard shortest <= timeline.length else { break }
            fitting += 1
        }
        let total = max(1, weights.prefix(fitting).reduce(0, +))
        var sum = 0
        for (index, unit) in units.enumerated() {
            let isRead = index < fitting
            let from = isRead ? timeline.length * sum / total : timeline.length
            sum += isRead ? weights[index] : 0
            let to = isRead ? timeline.length * sum / total : timeline.length
            self.result.words.append(
                self.makeWord(unit, index: index, span: timeline.span(from: from, to: to), isRead: isRead)
            )
        }
        for index in self.result.words.indices.dropLast() {
            let gap = self.result.words[index + 1].span.lowerBound - self.result.words[index].span.upperBound
            self.result.words[index].pause = self.result.words[index + 1].status == .skipped ? 0 : max(0, gap) * 10
        }
    }

    private mutating func makeWord(_ unit: TextUnit, index: Int, span: Range<Int>, isRead: Bool) -> Evaluation.Word {
        let penalty = self.audio.warning == nil ? 0 : 8
        let isMisread = self.random.chance(0.06)
        let score = (isMisread ? self.random.integer(in: 34...58) : self.random.integer(in: 72...100)) - penalty
        let toneScore = self.random.chance(0.1) ? self.random.integer(in: 20...59) : self.random.integer(in: 92...100)
        let isProminent = self.random.chance(0.2)
        var word = Evaluation.Word(
            unit: unit,
            syllable: nil,
            sounds: nil,
            status: isRead ? (score < 60 ? .mispronounced : .correct) : .skipped,
            score: isRead ? score : 0,
            toneScore: isRead && unit.isChinese ? toneScore : 0,
            isProminent: isRead && isProminent,
            span: span,
            pause: 0,
            decibels: isRead ? self.audio.decibels(of: span) : 0,
            phonemes: []
        )
        if unit.isChinese {
            let given = index < self.input.refPinyin.count ? self.input.refPinyin[index] : nil
            let syllable = given.map { ChineseSyllable($0) } ?? ChineseSyllable(character: unit.text)
            word.syllable = syllable
            let parts = [(syllable.initial, 0), (syllable.final, 1)].filter { !$0.0.isEmpty }
            word.phonemes = parts.enumerated().map { place, part in
                Evaluation.Phoneme(
                    symbol: part.0,
                    category: part.1,
                    toneIndex: part.1 == 1 ? syllable.tone : 0,
                    score: word.score,
                    span: Self.share(of: span, place, of: parts.count)
                )
            }
        } else {
            let isLetter = self.input.coreType == .alpha
            let sounds = isLetter ? EnglishSounds(letter: unit.text) : EnglishSounds(unit.text)
            word.sounds = sounds
            for (place, sound) in sounds.sounds.enumerated() {
                let offset = self.random.integer(in: -10...10)
                word.phonemes.append(
                    Evaluation.Phoneme(
                        symbol: sound,
                        category: 0,
                        toneIndex: 0,
                        score: isRead ? max(0, min(100, word.score + offset)) : 0,
                        span: Self.share(of: span, place, of: sounds.sounds.count)
                    )
                )
            }
        }
        return word
    }

    private static func share(of span: Range<Int>, _ index: Int, of count: Int) -> Range<Int> {
        let start = span.lowerBound + span.count * index / count
        return start..<span.lowerBound + span.count * (index + 1) / count
    }

    // MARK: Dimensions

    private mutating func scoreDimensions() {
        let words = self.result.words
        let read = self.result.readWords
        let isChinese = self.input.isChinese
        func mean(_ values: [Int]) -> Double {
            values.isEmpty ? 0 : Double(values.reduce(0, +)) / Double(values.count)
        }
        self.result.integrity = words.isEmpty ? 0 : 100 * Double(read.count) / Double(words.count)
        self.result.accuracy = mean(read.map(\.score))
        self.result.phonemes = mean(read.flatMap { $0.phonemes.map(\.score) })
        self.result.tone = isChinese ? mean(read.map(\.toneScore)) : 0
        self.result.initials = mean(read.flatMap { $0.phonemes.filter { $0.category == 0 }.map(\.score) })
        self.result.finals = mean(read.flatMap { $0.phonemes.filter { $0.category == 1 }.map(\.score) })
        self.result.nasals = Double(self.random.integer(in: 80...100))
        self.result.retroflex = Double(self.random.integer(in: 80...100))

        self.result.speed = Int((Double(read.count) * 60 / max(0.1, self.result.spanSeconds)).rounded())
        let ideal = isChinese ? 220.0 : 130.0
        let offSpeed = max(0, abs(Double(self.result.speed) - ideal) - 20) / ideal * 100
        self.result.speedScore = max(0, 100 - offSpeed.rounded())
        let silence = 1 - self.result.voicedSeconds / max(0.1, self.result.spanSeconds)
        self.result.pauses = max(0, 100 - (silence * 120).rounded())
        self.result.naturalness = Double(self.random.integer(in: 75...100))
        self.result.fluency =
            (0.4 * self.result.speedScore + 0.3 * self.result.pauses + 0.3 * self.result.naturalness).rounded()
        self.result.stress = Double(self.random.integer(in: 40...100))
        self.result.intonation = Double(self.random.integer(in: 70...100))
        self.result.rhythm = Double(self.random.integer(in: 60...100))
        let skills = [self.result.pauses, self.result.stress, self.result.intonation, self.result.rhythm]
        self.result.readingSkill = (skills.reduce(0, +) / 4).rounded()
        self.result.emotion = Double(self.random.integer(in: 70...100))
        self.result.rearTone = ["fall", "flat", "rise"][self.random.integer(in: 0...2)]

        if self.input.coreType == .word, !isChinese, self.result.voicedSeconds > 2 {
            // A single word does not last that long: more was said than was to be read.
            self.result.extraWords = min(100, Int(self.result.voicedSeconds / 0.5) - 1)
            self.result.integrity = min(self.result.integrity, 40)
        }
        if self.input.coreType == .alpha, !words.isEmpty {
            // A letter that was read as another one is missing.
            let misread = Double(self.result.substitutions.count)
            self.result.integrity = max(0, self.result.integrity - 100 * misread / Double(words.count))
        }
        guard self.input.coreType != .open else {
            let parts = self.result.openParts
            self.result.overall = (0.35 * parts.content + 0.35 * parts.language + 0.30 * parts.delivery).rounded()
            return
        }
        let weights = DimensionWeights(isChinese: isChinese)
        let sum =
            weights.integrity * self.result.integrity + weights.accuracy * self.result.accuracy
            + weights.fluency * self.result.fluency + weights.readingSkill * self.result.readingSkill
            + weights.affect * self.result.emotion
        // What was not read cannot be made good by how the rest was.
        let overall = min(sum, 25 + 0.75 * self.result.integrity)
        self.result.overall = read.isEmpty ? 0 : (overall * 10).rounded() / 10
    }
}

/// How much each dimension counts.
struct DimensionWeights {
    var integrity: Double
    var accuracy: Double
    var fluency: Double
    var readingSkill: Double
    var affect: Double

    /// The weights of a language; English has no affect.
    init(isChinese: Bool) {
        self.integrity = isChinese ? 0.1 : 0.2
        self.accuracy = isChinese ? 0.25 : 0.35
        self.fluency = isChinese ? 0.2 : 0.25
        self.readingSkill = isChinese ? 0.25 : 0.2
        self.affect = isChinese ? 0.2 : 0
    }
}

/// The stretches of speech laid end to end.
struct SpeechTimeline {
    private let segments: [Range<Int>]
    /// The time of speech, in units of 10 ms.
    let length: Int

    init(_ segments: [Range<Int>]) {
        self.segments = segments
        self.length = segments.reduce(0) { $0 + $1.count }
    }

    /// Where a stretch of speech lies in the recording.
    func span(from: Int, to: Int) -> Range<Int> {
        let start = self.place(from, isEnd: false)
        return start..<max(start, self.place(to, isEnd: true))
    }

    /// A position on the border between two stretches is the end of the first or the start of the second.
    private func place(_ position: Int, isEnd: Bool) -> Int {
        var left = position
        for segment in self.segments {
            if left < segment.count || (isEnd && left == segment.count) { return segment.lowerBound + left }
            left -= segment.count
        }
        return self.segments.last?.upperBound ?? 0
    }
}
