import Foundation
import Testing

@testable import PlatformSimulator

/// The text fields of a compat evaluation over real sockets (contract yugu, section 5).
@Suite struct CompatFieldsOverSocketTests {
    /// The name, and a field and a value for each further pair.
    static let refused: [[String]] = [
        ["sent.eval", "language", "en-US"], ["sent.eval", "refText", " "], ["sent.eval", "refPinyin", "ni3 hao3"],
        ["sent.eval.cn", "language", "zh-CN"], ["pinyin", "refText", "重庆"],
        ["sent.eval", "refText", "a", "scale", "0"],
        ["sent.eval", "refText", "a", "scale", "1.5"], ["sent.eval", "refText", "a", "agegroup", "4"],
        ["sent.eval", "refText", "a", "precision", "0"], ["sent.eval", "refText", "a", "slack", "2"],
        ["sent.eval", "refText", "a", "slack", "x"], ["sent.eval", "refText", "a", "slack", "nan"],
        ["para.eval", "refText", "a", "paragraph_need_word_score", "2"],
        ["sent.eval", "refText", "a", "phoneme_output", "yes"], ["sent.eval", "refText", "a", "attachAudioUrl", "2"],
        ["sent.eval", "refText", "a", "output_rawtext", "x"], ["sent.eval", "refText", "a", "readtype_diagnosis", "x"],
        ["sent.eval", "refText", "a", "dict_dialect", "en_au"], ["sent.eval", "refText", "a", "language", "fr-FR"],
        ["sent.eval", "refText", "a", "request", "{"], ["sent.eval", "refText", "a", "request", "[]"],
        ["sent.eval", "refText", "a", "request", #"{"scale":1e3}"#],
    ]

    @Test(arguments: Self.refused) func fieldsOutsideTheirRangesAreRefused(row: [String]) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            let fields = stride(from: 1, to: row.count, by: 2).map { (row[$0], row[$0 + 1]) }
            let reply = try await exchange(CompatRequest(platform, row[0], fields).bytes, with: platform)
            #expect(reply.status == 400)
            #expect(reply.code == 40_001)
        }
    }

    @Test func pinyinAloneIsEnoughForChinese() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            for name in ["sent.eval.cn", "pinyin", "word.eval.cn", "para.eval.cn"] {
                let fields = [("refText", ""), ("refPinyin", "chong2 qing4"), ("paragraph_need_word_score", "1")]
                let reply = try await exchange(CompatRequest(platform, name, fields).bytes, with: platform)
                #expect(reply.status == 200, "\(name)")
                let result = try #require(try reply.json()["result"] as? [String: Any])
                let words = try #require(result["words"] as? [[String: Any]])
                #expect(words.compactMap { $0["rawpinyin"] as? String } == ["chong2", "qing4"], "\(name)")
            }
        }
    }

    @Test func paragraphsHaveTheirWordsWhenTheyAreAskedFor() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            for (value, has) in [("1", true), ("0", false), ("", false)] {
                let fields = [("refText", "今天天气很好。我们去散步。"), ("paragraph_need_word_score", value)]
                let reply = try await exchange(CompatRequest(platform, "para.eval.cn", fields).bytes, with: platform)
                let result = try #require(try reply.json()["result"] as? [String: Any])
                let sentences = try #require(result["sentences"] as? [[String: Any]])
                #expect(sentences.count == 2)
                #expect(sentences.allSatisfy { ($0["details"] != nil) == has }, "\(value)")
            }
        }
    }
}
