import Foundation
import TestSupport
import Testing

/// What the platform answers to an evaluation, the gateway answers.
@Suite struct EvaluationConformanceTests {
    private static let calls: [(String, ComparedCall)] = {
        let english = #""referenceText":"apple tree","includeReport":true"#
        let chinese =
            #""referenceText":"今天天气很好","language":"zh-CN","scale":50,"precision":0.5,"agegroup":2,"#
            + #""includeAsrText":true,"includeStandardAudio":true,"other":[1.0,null]"#
        var calls: [(String, ComparedCall)] = ["word", "sentence", "passage", "connected", "open", "alpha"].flatMap {
            [
                ("\($0), English", .native(#"{"coreType":"\#($0)",\#(english)}"#)),
                ("\($0), Chinese", .native(#"{"coreType":"\#($0)",\#(chinese)}"#)),
            ]
        }
        calls += [
            ("native pinyin", .native(#"{"coreType":"pinyin","referenceText":"重庆","refPinyin":"chong2 qing4"}"#)),
            (
                "native picture",
                .native(
                    #"{"coreType":"open","referenceText":"describe","taskType":"picture"}"#,
                    image: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]
                )
            ),
            (
                "native silence",
                .native(#"{"coreType":"word","referenceText":"a"}"#, audio: TestAudio.wav(amplitude: 0))
            ),
        ]
        calls += ["word.eval", "word.eval.pro", "sent.eval", "sent.eval.pro", "para.eval", "alpha.eval"].map {
            ($0, .compat($0, [("refText", "apple tree"), ("coreType", $0), ("phoneme_output", "1"), ("rank", "x y")]))
        }
        calls += ["word.eval.cn", "sent.eval.cn", "para.eval.cn"].map {
            ($0, .compat($0, [("refText", "今天天气很好"), ("paragraph_need_word_score", "1"), ("scale", "10")]))
        }
        calls += [
            ("pinyin", .compat("pinyin", [("refText", "重庆"), ("refPinyin", "chong2 qing4")])),
            ("request", .compat("sent.eval", [("request", #"{"refText":"hello", "scale":1e1, "x":{"y":1}}"#)])),
            ("attachAudioUrl", .compat("sent.eval", [("refText", "hello"), ("attachAudioUrl", "1"), ("slack", "")])),
        ]
        return calls
    }()

    @Test func everyKindOfSuccessIsTheSameAndSoIsItsReplay() async throws {
        let sides = try await SideBySide()
        for (name, call) in Self.calls {
            var call = call
            call.key = name.replacing(", ", with: "-").replacing(" ", with: "-")
            let answers = try await sides.both(call)
            answers.expectEqual(status: 200, name)
            let replays = try await sides.both(call)
            replays.expectEqual(status: 200, "\(name), replayed")
            #expect(replays.platform.body == answers.platform.body && replays.gateway.body == answers.gateway.body)
            #expect(replays.gateway["idempotency-replayed"] == "true" && answers.gateway["idempotency-replayed"] == nil)
        }
        #expect(try await sides.bed.billed() == 2 * Self.calls.count, "one for each side, none for replays")
        await sides.bed.stop()
    }

    @Test func whatIsRefusedForItsContentIsRefusedAlike() async throws {
        let sides = try await SideBySide()
        let short = TestAudio.wav(seconds: 0.5)
        let text = [("refText", "apple")]
        // Refused by the platform and passed on as it came.
        let passed: [(String, ComparedCall)] = [
            ("short audio", .native(#"{"coreType":"word","referenceText":"apple"}"#, audio: short)),
            ("short audio, compat", .compat("word.eval", text, audio: short)),
            ("scale", .native(#"{"coreType":"word","referenceText":"apple","scale":101}"#)),
            ("language", .native(#"{"coreType":"word","referenceText":"apple","language":"fr-FR"}"#)),
            ("taskType", .native(#"{"coreType":"open","referenceText":"apple","taskType":"song"}"#)),
            ("agegroup, compat", .compat("word.eval", text + [("agegroup", "7")])),
            ("dialect, compat", .compat("word.eval", text + [("dict_dialect", "en_au")])),
        ]
        for (name, call) in passed { try await sides.both(call).expectEqual(status: 400, code: 40001, name) }
        // Refused by the gateway itself, as the contract is certain.
        var unformed = ComparedCall.sentence()
        unformed.contentType = "multipart/form-data"
        let local: [(String, ComparedCall)] = [
            ("config no JSON", .native("{")), ("config an array", .native("[]")),
            ("coreType absent", .native(#"{"referenceText":"a"}"#)),
            ("coreType unknown", .native(#"{"coreType":"song","referenceText":"a"}"#)),
            ("referenceText absent", .native(#"{"coreType":"word"}"#)),
            (
                "referenceText long",
                .native(#"{"coreType":"word","referenceText":"\#(String(repeating: "好", count: 1001))"}"#)
            ),
            ("refPinyin absent", .native(#"{"coreType":"pinyin","referenceText":"重庆"}"#)),
            ("slack a text", .native(#"{"coreType":"word","referenceText":"a","slack":"0"}"#)),
            ("includeReport a number", .native(#"{"coreType":"word","referenceText":"a","includeReport":1}"#)),
            ("empty audio", .native(#"{"coreType":"word","referenceText":"a"}"#, audio: [])),
            ("no boundary", unformed),
            ("refText absent, compat", .compat("word.eval", [])),
            ("refPinyin absent, compat", .compat("pinyin", [("refText", "重庆")])),
            ("scale a word, compat", .compat("word.eval", text + [("scale", "high")])),
            ("request no JSON, compat", .compat("word.eval", text + [("request", "{")])),
            ("empty audio, compat", .compat("word.eval", text, audio: [])),
        ]
        for (name, call) in local { try await sides.both(call).expectEqualOutcome(status: 400, code: 40001, name) }
        #expect(try await sides.bed.billed() == 0)
        await sides.bed.stop()
    }

    @Test func pathsAndTypesAndCallersThatAreRefused() async throws {
        let sides = try await SideBySide()
        func changed(_ call: ComparedCall, _ change: (inout ComparedCall) -> Void) -> ComparedCall {
            var call = call
            change(&call)
            return call
        }
        let json: (inout ComparedCall) -> Void = { ($0.contentType, $0.body) = ("application/json", Array("{}".utf8)) }
        let cases: [(String, Int, Int, ComparedCall)] = [
            ("a name that is not registered", 403, 40300, .compat("song.eval")),
            ("no path at all", 404, 40400, changed(.compat()) { $0.path = "/word" }),
            ("another method", 405, 40001, changed(.sentence()) { $0.method = "PUT" }),
            ("another method, compat", 405, 40001, changed(.compat()) { $0.method = "PUT" }),
            ("no form", 415, 40001, changed(.sentence(), json)),
            ("no form, compat", 400, 40001, changed(.compat(), json)),
            ("no credentials", 401, 40100, changed(.sentence()) { $0.hasCredentials = false }),
            ("no credentials, compat", 401, 40100, changed(.compat()) { $0.hasCredentials = false }),
        ]
        for (name, status, code, call) in cases {
            try await sides.both(call).expectEqualOutcome(status: status, code: code, name)
        }
        #expect(try await sides.bed.billed() == 0)
        await sides.bed.stop()
    }

    @Test func aKeyMeansTheSameOnBothSides() async throws {
        var settings = TestBed.Settings(yugu: ["attempts": "1", "waitForWinner": #""300ms""#])
        settings.simulator += ["--running-wait", "300ms"]
        let sides = try await SideBySide(settings)
        let pairs: [(ComparedCall, other: ComparedCall)] = [
            (.sentence(key: "a"), .native(#"{"coreType":"word","referenceText":"apple"}"#, key: "a")),
            (.compat(key: "b"), .compat(audio: TestAudio.wav(frequency: 330), key: "b")),
        ]
        for (call, other) in pairs {
            try await sides.both(call).expectEqual(status: 200, call.path)
            try await sides.both(other).expectEqualOutcome(status: 409, code: 40903, "\(call.path), key reused")
        }
        // Another form of the same content is another call as well.
        try await sides.both(.compat(key: "a")).expectEqualOutcome(status: 409, code: 40903, "one key for two forms")
        #expect(try await sides.bed.billed() == 4)

        for (index, side) in [sides.platform, sides.gateway].enumerated() {
            try await sides.bed.faults("slow:6000")
            let running = ComparedCall.sentence(key: "running")
            async let first = side(running)
            try await until("it runs") {
                try await sides.bed.platformLog().count { $0["fault"] as? String == "slow:6000" } > index
            }
            let second = try await side(running)
            #expect(second.status == 409 && second.json("code") == "40901", "\(second.text)")
            #expect(second["retry-after"] == "2")
            #expect(try await first.status == 200)
        }
        #expect(try await sides.bed.billed() == 6)
        await sides.bed.stop()
    }

    @Test func manyAtOnceUnderOneKeyAreOneCallOnEitherSide() async throws {
        let sides = try await SideBySide()
        try await sides.bed.faults("slow:200", "slow:200")
        let call = ComparedCall.compat(key: "k")
        for side in [sides.platform, sides.gateway] {
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<8 { group.addTask { try await side(call) } }
                return try await group.reduce(into: [TestResponse]()) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 } && Set(answers.map(\.body)).count == 1)
            #expect(answers.filter { $0["idempotency-replayed"] == "true" }.count == 7)
        }
        #expect(try await sides.bed.billed() == 2)
        await sides.bed.stop()
    }

    /// An SDK that can only sign works with its base URL and its key pair changed, and nothing else.
    @Test func aSignatureOfOursIsTakenWhereThePlatformTakesItsOwn() async throws {
        let sides = try await SideBySide()
        let added = Array(try await sides.bed.speechgate("client", "add", "sdk", "--signing").output.utf8)
        let credential = SigningCredential(
            appKey: try #require(JSONText.member("appKey", of: added)),
            secretKey: try #require(JSONText.member("secretKey", of: added))
        )
        let calls: [ComparedCall] = [
            .sentence(key: "a"),
            .blob(
                #"{"coreType":"word","referenceText":"a=b&c","slack":1e-7,"scale":50.0,"includeReport":true,"x":[1]}"#,
                signedText: "coreType=word&includeReport=true&referenceText=a=b&c&scale=50&slack=0.0000001",
                key: "b"
            ),
            .compat(key: "c"), .speech(key: "d"),
        ]
        for call in calls {
            let answers = SideBySide.Answers(
                platform: try await sides.platform(call),
                gateway: try await sides.gateway(call, signing: credential)
            )
            answers.expectEqual(status: 200, call.signedText)
            var changed = call
            changed.signedText += "x"
            let refused = try await sides.gateway(changed, signing: credential)
            #expect(refused.status == 401 && refused.json("source") == "gateway", "\(refused.text)")
        }
        #expect(try await sides.bed.billed() == 2 * calls.count)
        await sides.bed.stop()
    }
}
