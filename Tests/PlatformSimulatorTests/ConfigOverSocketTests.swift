import Foundation
import Testing

@testable import PlatformSimulator

/// The fields of `config` with their ranges, over real sockets (contract yugu, section 4.2).
@Suite struct ConfigOverSocketTests {
    @Test(arguments: [
        #"{"coreType":"pinyin","referenceText":"重庆","language":"zh-CN"}"#,
        #"{"coreType":"word","referenceText":"a","language":"fr-FR"}"#,
        #"{"coreType":"word","referenceText":"a","language":"zh"}"#,
        #"{"coreType":"word","referenceText":"a","language":1}"#,
        #"{"coreType":"word","referenceText":["a"]}"#,
        #"{"coreType":1,"referenceText":"a"}"#,
        #"{"coreType":"word","referenceText":"a","scale":101}"#,
        #"{"coreType":"word","referenceText":"a","scale":50.5}"#,
        #"{"coreType":"word","referenceText":"a","scale":"50"}"#,
        #"{"coreType":"word","referenceText":"a","slack":-1.01}"#,
        #"{"coreType":"word","referenceText":"a","precision":1.01}"#,
        #"{"coreType":"word","referenceText":"a","agegroup":0}"#,
        #"{"coreType":"word","referenceText":"a","toneWeight":1.5}"#,
        #"{"coreType":"word","referenceText":"a","paragraphNeedWordScore":2}"#,
        #"{"coreType":"word","referenceText":"a","includeReport":"true"}"#,
        #"{"coreType":"word","referenceText":"a","includeStandardAudio":1}"#,
        #"{"coreType":"word","referenceText":"a","includeAsrText":0}"#,
        #"{"coreType":"word","referenceText":"a","phonemeOutput":"no"}"#,
        #"{"coreType":"word","referenceText":"a","refPinyin":1}"#,
        #"{"coreType":"word","referenceText":"\uD800"}"#,
        #"{"coreType":"word","referenceText":"a","scale":0}"#,
        #"{"coreType":"word","referenceText":"a","slack":1.5}"#,
        #"{"coreType":"word","referenceText":"a","precision":0}"#,
        #"{"coreType":"word","referenceText":"a","agegroup":4}"#,
        #"{"coreType":"open","referenceText":"a","taskType":"poem"}"#,
        #"{"coreType":"word","referenceText":"  "}"#,
        #"[]"#,
    ])
    func fieldsOutsideTheirRangesAreRefused(config: String) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            var request = EvaluateRequest(platform)
            request.config = config
            try await exchange(request.bytes, with: platform).expect(code: 40_001)
        }
    }

    @Test(arguments: [
        #"{"coreType":"word","referenceText":"a","language":null,"scale":null,"taskType":null,"includeReport":null}"#,
        #"{"coreType":"word","referenceText":"a","language":"en-GB","slack":-1,"scale":1,"precision":1,"agegroup":1}"#,
        #"{"coreType":"word","referenceText":"a","slack":1,"scale":1e2,"precision":0.01,"agegroup":3.0,"toneWeight":0.5}"#,
        #"{"coreType":"connected","referenceText":"go on","phonemeOutput":true,"realtimeFeedback":false,"other":{"a":[]}}"#,
        #"{"coreType":"open","referenceText":"a","taskType":"situational"}"#,
        #"{"coreType":"word","referenceText":"a","precision":1e-320}"#,
        #"{"coreType":"pinyin","referenceText":"重庆","refPinyin":"chong2 qing4"}"#,
        #"{"coreType":"alpha","referenceText":"A B","paragraphNeedWordScore":0}"#,
    ])
    func fieldsAtTheEndsOfTheirRangesPass(config: String) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            var request = EvaluateRequest(platform)
            request.config = config
            try await exchange(request.bytes, with: platform).expect(status: 200)
        }
    }

    @Test func aTextOfAThousandCharactersPassesAndOneMoreDoesNot() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            for (count, status) in [(1_000, 200), (1_001, 400)] {
                var request = EvaluateRequest(platform)
                let text = String(repeating: "天", count: count)
                request.config = #"{"coreType":"passage","referenceText":"\#(text)","language":"zh-CN"}"#
                try await exchange(request.bytes, with: platform).expect(status: status)
            }
        }
    }

    @Test func theAddressOfAModelReadingIsThereWhenItIsAskedFor() async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            for isWanted in [true, false] {
                var request = EvaluateRequest(platform)
                request.config = #"{"coreType":"word","referenceText":"apple","includeStandardAudio":\#(isWanted)}"#
                let json = try await exchange(request.bytes, with: platform).json()
                let audio = try #require(json["standardAudio"] as? [String: Any])
                #expect(Set(audio.keys) == (isWanted ? ["url", "format", "duration"] : []))
            }
        }
    }
}
