import Foundation
import TestSupport
import Testing

/// The ten names under which the predecessor's clients send their recordings.
@Suite struct CompatTests {
    @Test func everyNameIsScoredBilledOnceAndReplayed() async throws {
        let bed = try await TestBed()
        let names = [
            "word.eval", "word.eval.pro", "sent.eval", "sent.eval.pro", "para.eval", "alpha.eval", "word.eval.cn",
            "sent.eval.cn", "para.eval.cn", "pinyin",
        ]
        for name in names {
            let isChinese = name.hasSuffix(".cn") || name == "pinyin"
            var texts = [("coreType", name), ("refText", isChinese ? "重庆" : "apple")]
            if name == "pinyin" { texts.append(("refPinyin", "chong2 qing4")) }
            let first = try await bed.evaluate("/\(name)", key: name, form: .compat(texts))
            #expect(first.status == 200, "\(name): \(first.text)")
            let recordID = try #require(first.json("recordId"))
            #expect(first.json("eof") == "1" && first.json("result") != nil)
            let second = try await bed.evaluate("/\(name)", key: name, form: .compat(texts))
            #expect(second.status == 200 && second.body == first.body, "\(name)")
            #expect(second["idempotency-replayed"] == "true")
            let stored = try await bed.get("/v1/records/\(recordID)")
            #expect(stored.body == first.body)
        }
        #expect(try await bed.billed() == names.count)
        await bed.stop()
    }

    @Test func everyDocumentedFieldAndUnknownOnesArriveSignedAsTheyCame() async throws {
        let bed = try await TestBed()
        let texts = [
            ("refText", "a&b=c d+e%20，标点。"), ("language", "en-US"), ("refPinyin", ""), ("agegroup", "2"),
            ("scale", "100"), ("precision", "0.5"), ("slack", "-0.25"), ("paragraph_need_word_score", "1"),
            ("phoneme_output", "0"), ("attachAudioUrl", "1"), ("dict_type", "KK"), ("customized_lexicon", "x"),
            ("customized_pron", "y"), ("dict_dialect", "en_br"), ("output_rawtext", "1"),
            ("readtype_diagnosis", "0"), ("request", #"{ "rank": 1e2, "note": null, "extra": {"a":[1]} }"#),
            ("coreType", "sent.eval"), ("robot", "\r\n spaces stay \t"), ("config", "no JSON here"),
        ]
        // The platform checks the signature over what it reads: a changed byte would be a 401.
        let response = try await bed.evaluate("/sent.eval", form: .compat(texts))
        #expect(response.status == 200, "\(response.text)")
        #expect(response["speechgate-attempts"] == "1")
        let entry = try #require(try await bed.platformLog().first)
        #expect(entry["path"] as? String == "/sent.eval" && entry["appKey"] as? String == bed.appKey)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func whatRequestHoldsCountsWhereNoFieldSaysOtherwise() async throws {
        let bed = try await TestBed()
        let inside = try await bed.evaluate("/sent.eval", form: .compat([("request", #"{"refText":"hello there"}"#)]))
        #expect(inside.status == 200, "\(inside.text)")
        let syllables = try await bed.evaluate(
            "/pinyin",
            form: .compat([("refText", ""), ("request", #"{"refPinyin":"chong2 qing4","scale":50}"#)])
        )
        #expect(syllables.status == 200, "\(syllables.text)")
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }

    @Test func theAddressOfTheRecordingIsTheSameInAReplay() async throws {
        let bed = try await TestBed()
        let form = TestForm.compat([("refText", "今天天气很好"), ("attachAudioUrl", "1")])
        let first = try await bed.evaluate("/sent.eval.cn", key: "k", form: form)
        #expect(first.json("audioUrl")?.hasPrefix("https://open.shengzhiai.com/rec/") == true, "\(first.text)")
        let second = try await bed.evaluate("/sent.eval.cn", key: "k", form: form)
        #expect(second.body == first.body && second["idempotency-replayed"] == "true")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aKeyBelongsToOneNameOneFormAndOneSurface() async throws {
        let bed = try await TestBed()
        let form = TestForm.compat([("refText", "apple")])
        #expect(try await bed.evaluate("/word.eval", key: "k", form: form).status == 200)
        let others: [(String, TestForm)] = [
            ("/word.eval.pro", form), ("/word.eval", .compat([("refText", "apple"), ("scale", "50")])),
            ("/word.eval", .compat([("refText", "apple")], audio: TestAudio.wav(frequency: 330))),
            ("/api/v1/evaluate", .evaluation()),
        ]
        for (path, other) in others {
            let response = try await bed.evaluate(path, key: "k", form: other)
            #expect(response.status == 409 && response.json("code") == "40903", "\(path): \(response.text)")
        }
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func namesThatAreNotRegistered() async throws {
        let bed = try await TestBed()
        for name in ["song.eval", "word.eval.xx", "connected.eval", ".", "word.eval%20"] {
            let response = try await bed.evaluate("/\(name)", form: .compat())
            #expect(response.status == 403 && response.json("code") == "40300", "\(name): \(response.text)")
        }
        for path in ["/word", "/sent.eval/x", "/a/b.c"] {
            let response = try await bed.evaluate(path, form: .compat())
            #expect(response.status == 404 && response.json("code") == "40400", "\(path): \(response.text)")
        }
        let get = try await bed.get("/sent.eval")
        #expect(get.status == 405 && get["allow"]?.contains("POST") == true)
        #expect(try await bed.platformLog().isEmpty)
        await bed.stop()
    }
}
