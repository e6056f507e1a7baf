import Foundation
import TestSupport
import Testing

/// Every field of an evaluation: wrong, absent or too long, it is named before the platform hears of the call.
@Suite struct FieldTests {
    private struct Case {
        let path: String
        let form: TestForm
        let field: String
        let what: String

        init(config: String, _ field: String) {
            (self.path, self.field, self.what) = ("/api/v1/evaluate", field, config)
            self.form = .evaluation(config: config)
        }

        init(_ name: String, _ texts: [(String, String)], _ field: String) {
            (self.path, self.field, self.what) = ("/" + name, field, "\(name) \(texts)".prefix(200).description)
            self.form = .compat(texts)
        }
    }

    /// The documented members of `config` by their types (contract yugu, section 4.2).
    private static let members = [
        "string": ["coreType", "referenceText", "language", "refPinyin", "taskType"],
        "number": ["slack", "scale", "precision", "agegroup", "toneWeight", "paragraphNeedWordScore"],
        "boolean": ["includeReport", "includeStandardAudio", "includeAsrText", "phonemeOutput", "realtimeFeedback"],
    ]

    private static var wrongMembers: [Case] {
        let values = ["string": #""1""#, "number": "1", "boolean": "true", "array": "[]", "object": "{}"]
        return self.members.flatMap { type, names in
            names.flatMap { name in
                values.filter { $0.key != type }.map { _, value in
                    var parts = ["coreType": #""word""#, "referenceText": #""apple""#]
                    parts[name] = value
                    return Case(config: "{" + parts.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}", name)
                }
            }
        }
    }

    private static var absentMembers: [Case] {
        [
            Case(config: #"{"referenceText":"apple"}"#, "coreType"),
            Case(config: #"{"coreType":null,"referenceText":"apple"}"#, "coreType"),
            Case(config: #"{"coreType":"word"}"#, "referenceText"),
            Case(config: #"{"coreType":"word","referenceText":""}"#, "referenceText"),
            Case(config: #"{"coreType":"pinyin","referenceText":"重庆"}"#, "refPinyin"),
            Case(config: #"{"coreType":"pinyin","referenceText":"重庆","refPinyin":null}"#, "refPinyin"),
        ]
    }

    private static var longTexts: [Case] {
        ["a", "好", #"\u597d"#].map {
            let text = String(repeating: $0, count: 1001)
            return Case(config: #"{"coreType":"passage","referenceText":"\#(text)"}"#, "referenceText")
        } + [
            Case("para.eval", [("refText", String(repeating: "a", count: 256 << 10 | 1))], "refText"),
            Case("para.eval", [("refText", "a"), ("note", String(repeating: "b", count: 256 << 10))], "note"),
        ]
    }

    private static var compatFields: [Case] {
        let numbers = ["agegroup", "scale", "precision", "slack"]
        let flags = [
            "paragraph_need_word_score", "phoneme_output", "attachAudioUrl", "output_rawtext", "readtype_diagnosis",
        ]
        let text = ("refText", "apple")
        return numbers.flatMap { name in
            ["high", "1,5", "true"].map { Case("word.eval", [text, (name, $0)], name) }
                + [Case("word.eval", [text, ("request", #"{"\#(name)":"high"}"#)], name)]
        }
            + flags.flatMap { name in ["yes", "2", "-1"].map { Case("word.eval", [text, (name, $0)], name) } }
            + ["not JSON", "[]", #""text""#, "{"].map { Case("word.eval", [text, ("request", $0)], "request") }
            + [
                Case("word.eval", [], "refText"), Case("word.eval", [("refText", "")], "refText"),
                Case("sent.eval", [("refPinyin", "chong2")], "refText"), Case("sent.eval.cn", [], "refText"),
                Case("sent.eval.cn", [("request", #"{"refText":["x"]}"#)], "refText"),
                Case("pinyin", [("refText", "重庆")], "refPinyin"),
                Case("pinyin", [("refText", "重庆"), ("request", #"{"refPinyin":null}"#)], "refPinyin"),
            ]
    }

    @Test func aFaultIsNamedBeforeThePlatformHearsOfIt() async throws {
        let bed = try await TestBed()
        var cases = Self.wrongMembers + Self.absentMembers + Self.longTexts + Self.compatFields
        #expect(cases.count > 90)
        let withoutAudio = TestForm().adding("refText", Array("apple".utf8))
        for form in [withoutAudio, withoutAudio.adding("audio", [], filename: "a.wav")] {
            let response = try await bed.evaluate("/word.eval", form: form)
            #expect(response.status == 400 && response.json("message")?.contains("audio") == true, "\(response.text)")
        }
        cases.shuffle()
        for fault in cases {
            let response = try await bed.evaluate(fault.path, form: fault.form)
            #expect(response.status == 400 && response.json("code") == "40001", "\(fault.what): \(response.text)")
            #expect(response.json("message")?.contains(fault.field) == true, "\(fault.what): \(response.text)")
            #expect(response.json("source") == "gateway", "\(fault.what)")
        }
        #expect(try await bed.platformLog().isEmpty)
        await bed.stop()
    }

    @Test func whatTheContractAllowsArrivesUntouched() async throws {
        let bed = try await TestBed()
        let coreTypes = ["word", "sentence", "passage", "connected", "open", "alpha", "pinyin"]
        var configs = coreTypes.map {
            #"{"coreType":"\#($0)","referenceText":"重庆","language":"zh-CN","refPinyin":"chong2 qing4"}"#
        }
        configs += [
            // The platform checks the signature over the exact text: another spelling of a number would be a 401.
            #"{ "coreType" : "passage", "referenceText":"a\u0062c", "language":"en-GB", "includeReport":true,"#
                + #""includeStandardAudio":true, "includeAsrText":true, "slack":-2.5e-1, "scale":5.0e1,"#
                + #""precision":0.10, "agegroup":2, "toneWeight":0, "refPinyin":"", "phonemeOutput":true,"#
                + #""taskType":"free", "paragraphNeedWordScore":1, "realtimeFeedback":false,"#
                + #""unknown":{"deep":[1,{"x":null}]}, "big":123456789012345678901234567890 }"#,
            #"{"coreType":"passage","referenceText":"\#(String(repeating: "好", count: 1000))","language":"zh-CN"}"#,
            #"{"coreType":"word","referenceText":"apple","slack":null,"language":null,"includeReport":null}"#,
        ]
        for (index, config) in configs.enumerated() {
            let response = try await bed.evaluate(form: .evaluation(config: config))
            #expect(response.status == 200 && response["speechgate-attempts"] == "1", "\(index): \(response.text)")
        }
        #expect(try await bed.billed() == configs.count)
        // What a character is, and what a range is for, the platform decides.
        let emoji = String(repeating: "\u{1F600}", count: 600)
        for config in [
            #"{"coreType":"word","referenceText":"\#(emoji)"}"#,
            #"{"coreType":"word","referenceText":"apple","scale":101}"#,
            #"{"coreType":"word","referenceText":"apple","language":"fr-FR"}"#,
        ] {
            let response = try await bed.evaluate(form: .evaluation(config: config))
            #expect(response.json("source") == nil && response["speechgate-attempts"] == "1", "\(response.text)")
        }
        await bed.stop()
    }

    @Test func aPictureIsSentAsWhatItIs() async throws {
        let bed = try await TestBed()
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3]
        let config = #"{"coreType":"open","referenceText":"describe it","taskType":"picture"}"#
        let task = TestForm.evaluation(config: config)
        let forms = [
            task.adding("image", png), task.adding("image", jpeg, filename: "picture", contentType: "image/png"),
            task.adding("image", png, filename: "C:\\p\\a.png", contentType: "application/octet-stream"),
        ]
        for (index, form) in forms.enumerated() {
            let response = try await bed.evaluate(key: "\(index)", form: form)
            #expect(response.status == 200, "\(index): \(response.text)")
        }
        #expect(try await bed.billed() == forms.count)
        let other = try await bed.evaluate(key: "0", form: task.adding("image", png + [4]))
        #expect(other.json("code") == "40903", "the picture belongs to the call")
        let text = try await bed.evaluate(form: task.adding("image", Array("no picture".utf8), filename: "a.png"))
        #expect(text.status == 400 && text.json("source") == nil, "the platform's to refuse: \(text.text)")
        let empty = try await bed.evaluate(form: task.adding("image", [], filename: "a.png"))
        #expect(empty.status == 400 && empty.json("source") == "gateway", "\(empty.text)")
        await bed.stop()
    }
}
