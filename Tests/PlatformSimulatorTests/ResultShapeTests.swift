import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

/// The simulator's answers beside the recorded ones: every member that the platform sent for a kind of task is there,
/// with the same type, in some answer of that kind.
@Suite struct ResultShapeTests {
    /// The types found at a path; array elements share one.
    private typealias Shape = [String: Set<String>]

    private static func add(_ value: Any, at path: String, to shape: inout Shape) {
        switch value {
        case let object as [String: Any]:
            shape[path, default: []].insert("object")
            for (name, member) in object { self.add(member, at: "\(path).\(name)", to: &shape) }
        case let array as [Any]:
            shape[path, default: []].insert("array")
            for element in array { self.add(element, at: "\(path)[]", to: &shape) }
        case is String: shape[path, default: []].insert("string")
        case let number as NSNumber:
            let isBool = isBoolean(number)
            shape[path, default: []].insert(isBool ? "bool" : "number")
        default: shape[path, default: []].insert("null")
        }
    }

    /// `NSNumber` keeps what it was made from.
    private static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c"
    }

    struct Recording: Sendable, CustomTestStringConvertible {
        var file: String
        var coreType: CoreType
        var isChinese: Bool
        var texts: [String]
        var compatName: CompatName?
        var testDescription: String { self.file }
    }

    static let recordings = [
        Recording(
            file: "native_evaluate_sentence_zh.json",
            coreType: .sentence,
            isChinese: true,
            texts: ["今天天气很好", "我们去公园看花", "学校门口有一棵大树", "妈妈给我买了新书包"]
        ),
        Recording(
            file: "native_sentence_en.json",
            coreType: .sentence,
            isChinese: false,
            texts: ["The quick brown fox", "She sells sea shells", "How are you today", "Nice to meet you"]
        ),
        Recording(
            file: "native_word_en.json",
            coreType: .word,
            isChinese: false,
            texts: ["apple", "banana", "chair", "window", "teacher", "yellow"]
        ),
        Recording(
            file: "native_passage_zh.json",
            coreType: .passage,
            isChinese: true,
            texts: ["今天天气很好。我们一起去散步。", "他是学生。老师说他很好。", "早上好。吃饭吧。", "日出。人来。"]
        ),
        Recording(
            file: "native_alpha_en.json",
            coreType: .alpha,
            isChinese: false,
            texts: ["A B C", "X Y Z", "ABCDEFG", "HIJKLMN", "OPQRST", "UVWXYZ"]
        ),
        Recording(
            file: "native_pinyin_zh.json",
            coreType: .pinyin,
            isChinese: true,
            texts: ["重庆", "今天天气很好", "快乐", "中国"]
        ),
        Recording(
            file: "native_connected_en.json",
            coreType: .connected,
            isChinese: false,
            texts: ["I want to eat an apple.", "Turn it off", "Go on and see a show"]
        ),
        Recording(file: "native_open_zh.json", coreType: .open, isChinese: true, texts: ["介绍你自己"]),
    ]

    static let compatRecordings = [
        Recording("compat_sent.eval.cn.json", .sentenceChinese, ["今天天气很好", "我们去公园看花", "学校门口有一棵大树"]),
        Recording(
            "compat_sent.eval.json",
            .sentence,
            ["The quick brown fox", "She sells sea shells", "How are you today"]
        ),
        Recording("compat_word.eval.json", .word, ["apple", "banana", "chair", "window", "teacher", "yellow"]),
        Recording(
            "compat_para.eval.cn_word_detail.json",
            .paragraphChinese,
            ["今天天气很好。我们一起去散步。", "他是学生。老师说他很好。", "早上好。吃饭吧。", "日出。人来。"]
        ),
        Recording(
            "compat_para.eval.cn_single_sentence.json",
            .paragraphChinese,
            ["今天天气很好", "学校门口有一棵大树", "日出人来"]
        ),
        Recording("compat_sent.eval.cn_attach_audio_url.json", .sentenceChinese, ["今天天气很好", "我们去公园看花"]),
    ]

    private func answers(_ recording: Recording) throws -> Shape {
        var shape = Shape()
        let audio = [
            TestRecording.speech, TestRecording.bursts(12, amplitude: 8_000), TestRecording.bursts(3, amplitude: 9_000),
        ]
        for text in recording.texts {
            for sound in audio {
                for isFull in [true, false] {
                    var input = EvaluationInput(
                        coreType: recording.coreType,
                        referenceText: text,
                        isChinese: recording.isChinese
                    )
                    input.includesReport = isFull
                    input.includesASRText = isFull
                    input.compatName = recording.compatName
                    if recording.file.contains("attach_audio_url") {
                        input.recordingURL = RecordingURL(base: "http://x", mark: "0", fileExtension: "wav")
                    }
                    let rendered = RenderedEvaluation(input, audio: ScorerTests.facts(sound))
                    let body = rendered.answer(recordID: "eval_1", day: CalendarDay(unixSeconds: 0, offset: 0))
                    Self.add(try JSONSerialization.jsonObject(with: Data(body)), at: "", to: &shape)
                }
            }
        }
        return shape
    }

    @Test(.enabled(if: SharedMaterial.isExpected), arguments: Self.compatRecordings)
    func compatAnswersHaveTheRecordedOutermostMembersAndNoOthers(_ recording: Recording) throws {
        let recorded = try Self.shape(of: recording.file)
        func outermost(_ shape: Shape) -> Set<String> { Set(shape.keys.filter { $0.count { $0 == "." } == 1 }) }
        #expect(outermost(try self.answers(recording)) == outermost(recorded))
    }

    private static func shape(of file: String) throws -> Shape {
        let folder = try #require(SharedMaterial.folder)
        let data = try Data(contentsOf: folder.appending(path: "fixtures/platform/\(file)"))
        var shape = Shape()
        self.add(try JSONSerialization.jsonObject(with: data), at: "", to: &shape)
        return shape
    }

    @Test(.enabled(if: SharedMaterial.isExpected), arguments: Self.recordings + Self.compatRecordings)
    func everyRecordedMemberIsThere(_ recording: Recording) throws {
        let recorded = try Self.shape(of: recording.file)
        let ours = try self.answers(recording)
        let missing = recorded.keys.filter { ours[$0] == nil }.sorted()
        #expect(missing.isEmpty, "missing: \(missing.joined(separator: "\n"))")
        for (path, types) in recorded {
            // A dimension that was not assessed is null, in recordings and here.
            let found = (ours[path] ?? types).subtracting(["null"])
            #expect(found == types.subtracting(["null"]), "\(path)")
        }
    }

    @Test(.enabled(if: SharedMaterial.isExpected), arguments: Self.recordings)
    func theOrderOfTopLevelMembersIsThePlatforms(_ recording: Recording) throws {
        let input = EvaluationInput(
            coreType: recording.coreType,
            referenceText: try #require(recording.texts.first),
            isChinese: recording.isChinese
        )
        let rendered = RenderedEvaluation(input, audio: ScorerTests.facts(TestRecording.speech))
        let body = rendered.answer(recordID: "eval_1", day: CalendarDay(unixSeconds: 0, offset: 0))
        let text = String(decoding: body, as: UTF8.self)
        let names = ["recordId", "eof", "result", "report", "standardAudio", "asrText", "warnings"]
        let places = try names.map {
            try #require(
                text.range(of: "\"\($0)\":", options: $0 == "report" || $0 == "warnings" ? .backwards : []),
                "\($0)"
            ).lowerBound
        }
        #expect(places.first == text.index(after: text.startIndex))
        #expect(places.last.map { $0 > places[places.count - 2] } == true)
    }

    /// The fields of contract yugu, section 12, for every kind and language.
    @Test(arguments: CoreType.allCases, [true, false])
    func everyKindHasItsFieldsInBothLanguages(coreType: CoreType, isChinese: Bool) throws {
        var input = EvaluationInput(
            coreType: coreType,
            referenceText: isChinese ? "今天天气很好。我们去散步。" : "Nice to meet you. How are you?",
            isChinese: isChinese
        )
        if coreType == .alpha { input.referenceText = "A B C" }
        if coreType == .pinyin { input.refPinyin = ["jin1", "tian1"] }
        let rendered = RenderedEvaluation(input, audio: ScorerTests.facts(TestRecording.bursts(12, amplitude: 8_000)))
        let body = rendered.answer(recordID: "eval_1", day: CalendarDay(unixSeconds: 0, offset: 0))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        #expect(
            Set(json.keys) == ["recordId", "eof", "result", "report", "standardAudio", "asrText", "warnings"]
        )
        let result = try #require(json["result"] as? [String: Any])
        #expect(result["_language"] as? String == (isChinese ? "zh" : "en"))
        #expect(result["_coreType"] as? String == (coreType == .pinyin ? "sentence" : coreType.rawValue))
        let expected: Set<String> =
            switch coreType {
            case .connected:
                [
                    "connected_overall", "linking", "elision", "reduction", "rhythm", "n_boundaries", "boundaries",
                    "coverage", "report", "warning",
                ]
            case .open:
                [
                    "overall", "content", "languageUse", "delivery", "transcript", "feedback", "openTaskAudit",
                    "audioQuality", "taskType", "rubricVersion", "aggregation", "warning",
                ]
            default:
                [
                    "overall", "pronunciation", "fluency", "integrity", "rhythm", "tone", "rear_tone", "speed",
                    "duration",
                    "numeric_duration", "warning", "words", "sentences", "compositeReport", "yuguScores",
                ]
            }
        #expect(expected.subtracting(result.keys).isEmpty)
        #expect((result["overall"] == nil) == (coreType == .connected))
        #expect((result["words"] == nil) == (coreType == .connected || coreType == .open))
        if !isChinese, let tone = result["tone"] { #expect(tone as? Int == 0) }
        let sentences = (result["sentences"] as? [Any])?.count
        #expect(coreType != .passage || sentences == 2)
    }

    /// Contract yugu, section 6.2.
    @Test(arguments: CoreType.allCases, [true, false])
    func everyKindIsReported(coreType: CoreType, includesReport: Bool) throws {
        var input = EvaluationInput(coreType: coreType, referenceText: "今天天气很好", isChinese: true)
        input.includesReport = includesReport
        let rendered = RenderedEvaluation(input, audio: ScorerTests.facts(TestRecording.speech))
        let body = rendered.report(recordID: "r", timestamp: 1_791_484_346_331)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
        #expect(Set(json.keys) == ["code", "message", "data", "timestamp"])
        #expect(json["code"] as? Int == 0)
        #expect(json["timestamp"] as? Int == 1_791_484_346_331)
        let data = try #require(json["data"] as? [String: Any])
        #expect(Set(data.keys) == ["recordId", "score", "report"])
        let score = try #require(data["score"] as? [String: Any])
        #expect(
            Set(score.keys) == [
                "overall", "pronunciation", "fluency", "integrity", "tone", "rhythm", "speed", "rear_tone", "duration",
                "warning",
            ]
        )
        #expect(score["duration"] is String)
        #expect(score["overall"] as? Double == rendered.overall)
        let report = try #require(data["report"] as? [String: Any])
        #expect((report["summary"] is String) == includesReport)
        #expect((report["suggestions"] is [String]) == includesReport)
        let dimensions = try #require(report["dimensionScores"] as? [String: Any])
        #expect(dimensions.isEmpty == (coreType == .open || coreType == .connected))
        #expect(report["rubricVersion"] is String)
    }

    @Test func aSentenceHasARealisticSize() {
        let input = EvaluationInput(
            coreType: .sentence,
            referenceText: "The quick brown fox jumps over the lazy dog.",
            isChinese: false
        )
        let size = RenderedEvaluation(input, audio: ScorerTests.facts(TestRecording.bursts(10, amplitude: 8_000)))
            .answerTail.count
        #expect((20_000...32_000).contains(size), "\(size)")
    }
}

extension ResultShapeTests.Recording {
    /// A recording of a compat endpoint.
    fileprivate init(_ file: String, _ name: CompatName, _ texts: [String]) {
        self.init(file: file, coreType: name.coreType, isChinese: name.isChinese, texts: texts, compatName: name)
    }
}
