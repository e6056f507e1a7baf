import Foundation
import TestSupport
import Testing

/// Made speech, as clients of both sides ask for it.
@Suite struct SpeechConformanceTests {
    @Test func everySuccessIsTheSameAndSoIsItsReplay() async throws {
        let sides = try await SideBySide()
        let calls: [ComparedCall] = [
            .speech(key: "a"),
            .speech(
                #"{ "text" : "a&b=c d+e%20", "language":"en-GB","voice":"female","format":"wav","style":null,"x":1e-7 }"#,
                signedText: "format=wav&language=en-GB&text=a&b=c d+e%20&voice=female&x=0.0000001",
                key: "b"
            ),
            .speech(
                #"{"text":"\u4f60好","volume":1.0,"pitch":5e1,"extra":{"deep":[1]},"on":true,"none":""}"#,
                signedText: "on=true&pitch=50&text=你好&volume=1",
                key: "c"
            ),
        ]
        for call in calls {
            let name = String(decoding: call.body, as: UTF8.self)
            let answers = try await sides.both(call)
            answers.expectEqual(status: 200, code: 0, name)
            let replays = try await sides.both(call)
            replays.expectEqual(status: 200, code: 0, "\(name), replayed")
            #expect(replays.gateway.body == answers.gateway.body && replays.platform.body == answers.platform.body)
        }
        let other = ComparedCall.speech(#"{"text":"你"}"#, signedText: "text=你", key: "a")
        try await sides.both(other).expectEqualOutcome(status: 409, code: 40903, "key reused")
        #expect(try await sides.bed.billed() == 2 * calls.count)
        await sides.bed.stop()
    }

    @Test func whatIsRefusedIsRefusedAlike() async throws {
        let sides = try await SideBySide()
        for (body, signedText) in [
            ("{", ""), ("[]", ""), ("{}", ""), (#"{"text":""}"#, ""), (#"{"text":7}"#, "text=7"),
            (#"{"text":"a","speed":"50"}"#, "speed=50&text=a"), (#"{"text":"a","speed":101}"#, "speed=101&text=a"),
            (#"{"text":"a","volume":-1}"#, "text=a&volume=-1"),
            (#"{"text":"a","format":"flac"}"#, "format=flac&text=a"),
            (#"{"text":"a","language":"fr"}"#, "language=fr&text=a"),
            (#"{"text":"a","language":1}"#, "language=1&text=a"),
        ] {
            let answers = try await sides.both(.speech(body, signedText: signedText))
            answers.expectEqualOutcome(status: 400, code: 40001, body)
        }
        var form = ComparedCall.speech()
        form.contentType = "text/plain"
        try await sides.both(form).expectEqualOutcome(status: 415, code: 40001, "no JSON")
        var anonymous = ComparedCall.speech()
        anonymous.hasCredentials = false
        try await sides.both(anonymous).expectEqualOutcome(status: 401, code: 40100, "no credentials")
        var get = ComparedCall.speech()
        get.method = "PUT"
        try await sides.both(get).expectEqualOutcome(status: 405, code: 40001, "another method")
        #expect(try await sides.bed.billed() == 0)
        await sides.bed.stop()
    }

    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the recorded answers are skipped"))
    func theRecordedAnswerPassesToTheByte() async throws {
        let folder = try #require(SharedMaterial.folder).appendingPathComponent("fixtures/platform")
        let recording = Array(try Data(contentsOf: folder.appendingPathComponent("tts_generate.json")))
        let sides = try await SideBySide()
        try await sides.serve(recording)
        let answers = try await sides.both(.speech(key: "k"))
        #expect(answers.platform.body == recording && answers.gateway.body == recording)
        #expect(try await sides.gateway(.speech(key: "k")).body == recording)
        #expect(try await sides.bed.billed() == 0)
        await sides.bed.stop()
    }
}
