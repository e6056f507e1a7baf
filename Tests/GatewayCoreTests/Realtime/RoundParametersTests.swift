import JSONScan
import Testing

@testable import GatewayCore

/// What of a parameter frame tells one round from another.
@Suite struct RoundParametersTests {
    private static func withoutKey(_ frame: String) throws -> String {
        let bytes = Array(frame.utf8)
        let parameters = try RoundParameters(
            frame: bytes,
            scanner: JSONScanner(validating: bytes),
            coreType: "sentence"
        )
        return String(decoding: parameters.frameWithoutKey, as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"cmd":"start","text":"a"}"#, #"{"cmd":"start","text":"a"}"#),
        (#"{"idempotencyKey":"k","cmd":"start","text":"a"}"#, #"{"cmd":"start","text":"a"}"#),
        (#"{"cmd":"start","idempotencyKey":"k","text":"a"}"#, #"{"cmd":"start","text":"a"}"#),
        (#"{"cmd":"start","text":"a","idempotencyKey":"k"}"#, #"{"cmd":"start","text":"a"}"#),
        (#"{"cmd": "start", "text": "a", "idempotencyKey": "k"}"#, #"{"cmd": "start", "text": "a"}"#),
        (#"{"cmd": "start", "idempotencyKey": "k", "text": "a"}"#, #"{"cmd": "start", "text": "a"}"#),
        (#"{"cmd":"start","text":"a","idempotencyKey":null}"#, #"{"cmd":"start","text":"a"}"#),
        (#"{"idempotencyKey":"k"}"#, "{}"),
        (#"{"text":"\"idempotencyKey\":\"k\"","idempotencyKey":"k"}"#, #"{"text":"\"idempotencyKey\":\"k\""}"#),
        (#"{"idempotency\u004bey":"k","text":"a"}"#, #"{"text":"a"}"#),
    ])
    func aRoundIsTheSameWithAndWithoutItsKey(frame: String, rest: String) throws {
        #expect(try Self.withoutKey(frame) == rest)
    }

    @Test func aKeyThatWasGivenAndSentBackMakesTheSameRound() throws {
        for frame in [#"{"cmd":"start","text":"a"}"#, #"{ "cmd" : "start" }"#, "{}"] {
            let bytes = Array(frame.utf8)
            let parameters = try RoundParameters(
                frame: bytes,
                scanner: JSONScanner(validating: bytes),
                coreType: "sentence"
            )
            let given = String(decoding: parameters.frame(withKey: "made-by-us"), as: UTF8.self)
            #expect(given.contains("made-by-us"))
            let back = try Self.withoutKey(given)
            #expect(back.filter { $0 != " " } == frame.filter { $0 != " " })
        }
    }
}
