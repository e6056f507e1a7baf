import Cryptography
import SpeechAudio
import Testing

@testable import PlatformSimulator

@Suite struct ScorerTests {
    static func facts(_ recording: [UInt8]) -> AudioFacts {
        var parser = WAVParser()
        var meter: PCMMeter?
        recording.withUnsafeBytes { bytes in
            parser.parse(bytes) { samples, format in
                meter = PCMMeter(sampleRate: format.sampleRate, channels: format.channels)
                meter?.measure(samples)
            }
        }
        return AudioFacts(
            byteCount: recording.count,
            digest: SHA256.hash(of: recording),
            parser: parser,
            meter: meter
        )
    }

    private static func evaluate(
        _ text: String,
        isChinese: Bool = true,
        coreType: CoreType = .sentence,
        _ recording: [UInt8] = TestRecording.speech
    ) -> Evaluation {
        let input = EvaluationInput(coreType: coreType, referenceText: text, isChinese: isChinese)
        return Scorer.evaluate(input, audio: Self.facts(recording))
    }

    @Test func theSameInputScoresTheSame() {
        let input = EvaluationInput(coreType: .sentence, referenceText: "今天天气很好", isChinese: true)
        let first = RenderedEvaluation(input, audio: Self.facts(TestRecording.speech))
        let second = RenderedEvaluation(input, audio: Self.facts(TestRecording.speech))
        #expect(first.answerTail == second.answerTail)
        #expect(first.reportTail == second.reportTail)
    }

    @Test func otherAudioAndOtherTextScoreOtherwise() {
        let input = EvaluationInput(coreType: .sentence, referenceText: "今天天气很好", isChinese: true)
        var otherText = input
        otherText.referenceText = "明天天气很好"
        let first = RenderedEvaluation(input, audio: Self.facts(TestRecording.speech)).answerTail
        #expect(RenderedEvaluation(input, audio: Self.facts(TestRecording.otherSpeech)).answerTail != first)
        #expect(RenderedEvaluation(otherText, audio: Self.facts(TestRecording.speech)).answerTail != first)
    }

    @Test func anHourOfSpeechForOneWordIsNoBookOfExtraWords() {
        let hour = AudioFacts(byteCount: 14_400_000, digest: SHA256.hash(of: "x"), parser: WAVParser(), meter: nil)
        let input = EvaluationInput(coreType: .word, referenceText: "apple", isChinese: false)
        #expect(Scorer.evaluate(input, audio: hour).extraWords == 100)
    }

    @Test func silenceScoresNothing() {
        let result = Self.evaluate("今天天气很好", TestRecording.silence)
        #expect(result.overall == 0)
        #expect(result.warning == .noValidAudio)
        #expect(result.words.allSatisfy { $0.status == .skipped && $0.score == 0 })
        #expect(result.duration == 2)
    }

    @Test func lowLevelAndClippingAreWarnedOfAndCost() {
        let good = Self.evaluate("今天天气很好")
        let quiet = Self.evaluate("今天天气很好", TestRecording.quiet)
        let clipped = Self.evaluate("今天天气很好", TestRecording.clipped)
        #expect(good.warning == nil)
        #expect(good.overall > 60)
        #expect(quiet.warning == .tooQuiet)
        #expect(quiet.overall > 0)
        #expect(clipped.warning == .clipped)
        #expect(clipped.overall > 0)
    }

    @Test(arguments: ["今天天气很好", "The quick brown fox", "我喜欢 apple 和 banana"])
    func spansFollowEachOtherWithinTheSpeech(text: String) {
        let result = Self.evaluate(text, isChinese: !text.hasPrefix("The"))
        // The recording's first burst begins at 0, its last one ends at 2.25 s.
        var last = 0
        for word in result.words {
            #expect(word.span.lowerBound >= last)
            #expect(word.span.upperBound <= 225)
            #expect(!word.span.isEmpty)
            last = word.span.upperBound
            #expect(word.phonemes.first?.span.lowerBound == word.span.lowerBound)
            #expect(word.phonemes.last?.span.upperBound == word.span.upperBound)
        }
        #expect(result.integrity == 100)
    }

    @Test func whatDoesNotFitIntoTheSpeechWasNotRead() {
        let text = String(repeating: "春眠不觉晓", count: 20)
        let result = Self.evaluate(text)
        let read = result.readWords.count
        #expect(read > 0 && read < 100)
        #expect(result.words.prefix(read).allSatisfy { $0.status != .skipped })
        #expect(result.words.dropFirst(read).allSatisfy { $0.status == .skipped && $0.score == 0 })
        #expect(abs(result.integrity - Double(read)) < 0.001)
        #expect(result.overall < 60)
    }

    @Test func speedIsUnitsPerMinuteOfSpeech() {
        // Six units from 0 to 2.25 s.
        #expect(Self.evaluate("今天天气很好").speed == 160)
    }

    @Test func oneWordThatLastsLongWasMoreThanTheWord() {
        let long = TestRecording.bursts(12, amplitude: 8_000)
        #expect(Self.evaluate("apple", isChinese: false, coreType: .word, long).extraWords > 0)
        #expect(Self.evaluate("apple", isChinese: false, coreType: .word).extraWords == 0)
    }

    @Test func otherContainersAreJudgedByTheirSize() {
        let result = Self.evaluate("今天天气很好", Array("ID3".utf8) + [UInt8](repeating: 7, count: 11_997))
        #expect(result.duration == 3)
        #expect(result.warning == nil)
        #expect(result.overall > 0)
    }

    @Test func scoresFollowTheScale() {
        var input = EvaluationInput(coreType: .sentence, referenceText: "今天天气很好", isChinese: true)
        let hundred = RenderedEvaluation(input, audio: Self.facts(TestRecording.speech)).overall
        input.scale = 10
        let ten = RenderedEvaluation(input, audio: Self.facts(TestRecording.speech)).overall
        #expect(abs(hundred / 10 - ten) <= 0.06)
    }
}

@Suite struct TextUnitsTests {
    static let cases: [(String, [String])] = [
        ("今天天气很好。", ["今", "天", "天", "气", "很", "好"]),
        ("The quick, brown fox!", ["The", "quick", "brown", "fox"]),
        ("It's a well-known  fact…", ["It's", "a", "well-known", "fact"]),
        ("我爱 apple，你呢？", ["我", "爱", "apple", "你", "呢"]),
        ("5 o'clock—now", ["5", "o'clock—now"]),
        ("  \n ,.!? ", []),
        ("", []),
        ("naïve café", ["naïve", "café"]),
    ]

    @Test(arguments: Self.cases) func textsAreTakenApart(text: String, units: [String]) {
        #expect(TextUnits(text).units.map(\.text) == units)
    }

    @Test func lettersAreUnitsOfTheAlphabet() {
        #expect(TextUnits("ABC d", byLetter: true).units.map(\.text) == ["A", "B", "C", "d"])
    }

    @Test func sentencesKeepTheirPunctuation() {
        let text = TextUnits("今天很好。我们走！ Dr. No is 3.5 m tall. Yes?")
        #expect(text.sentences.map(\.text) == ["今天很好。", "我们走！", "Dr.", "No is 3.5 m tall.", "Yes?"])
        #expect(text.sentences.map(\.units) == [0..<4, 4..<7, 7..<8, 8..<13, 13..<14])
    }
}

@Suite struct ChineseSyllableTests {
    @Test(arguments: [
        ("tian1", "tian", "tiān", 1), ("hao3", "hao", "hǎo", 3), ("gou3", "gou", "gǒu", 3), ("lv4", "lv", "lǜ", 4),
        ("gui4", "gui", "guì", 4), ("liu2", "liu", "liú", 2), ("de5", "de", "de", 5), ("ma", "ma", "ma", 5),
        ("er2", "er", "ér", 2), ("zhuang1", "zhuang", "zhuāng", 1),
    ])
    func tonesAreMarked(text: String, pinyin: String, symbol: String, tone: Int) {
        let syllable = ChineseSyllable(text)
        #expect(syllable.pinyin == pinyin)
        #expect(syllable.symbolPinyin == symbol)
        #expect(syllable.tone == tone)
    }

    @Test func initialsAndFinalsAreTold() {
        #expect(ChineseSyllable("zhong1").initial == "zh")
        #expect(ChineseSyllable("zhong1").final == "ong")
        #expect(ChineseSyllable("an1").initial.isEmpty)
    }

    @Test func charactersHaveReadings() {
        #expect(
            "今天天气很好".map { ChineseSyllable(character: String($0)).pinyin } == [
                "jin", "tian", "tian", "qi", "hen", "hao",
            ]
        )
        // A rare one gets some reading, always the same.
        #expect(ChineseSyllable(character: "龘") == ChineseSyllable(character: "龘"))
        #expect(!ChineseSyllable(character: "龘").pinyin.isEmpty)
    }
}

@Suite struct EnglishSoundsTests {
    @Test func spellingsBecomeSounds() {
        let sounds = EnglishSounds("Brother")
        #expect(sounds.sounds == ["B", "R", "AA", "TH", "ER"])
        #expect(sounds.groups.map(\.spelling) == ["b", "r", "o", "th", "er"])
        #expect(sounds.syllables.map(\.spelling) == ["bro", "ther"])
    }

    @Test func aFinalEIsSilent() {
        let sounds = EnglishSounds("apple")
        #expect(sounds.sounds == ["AE", "P", "L"])
        #expect(sounds.groups.map(\.spelling) == ["a", "pp", "l", "e"])
        #expect(sounds.groups.map(\.sounds) == [["AE"], ["P"], ["L"], ["L"]])
    }

    @Test(arguments: ["a", "fox", "Zoë", "123", "it's", "—"])
    func everyWordHasSoundsAndSyllables(word: String) {
        let sounds = EnglishSounds(word)
        #expect(!sounds.sounds.isEmpty)
        #expect(sounds.syllables.flatMap(\.sounds) == Array(sounds.sounds.indices))
    }
}
