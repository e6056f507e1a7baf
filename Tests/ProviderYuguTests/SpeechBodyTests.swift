import Cryptography
import Foundation
import HTTPWire
import JSONScan
import TestSupport
import Testing

@testable import GatewayCore
@testable import ProviderYugu

/// What of a request for speech is refused, and what is signed.
@Suite struct SpeechBodyTests {
    private static func body(_ json: String) throws -> SpeechBody {
        // The tag counts for fingerprints only, which nothing here makes.
        try SpeechBody(ReceivedJSON(Array(json.utf8), digest: KeyedDigest(key: Secret("0123456789abcdef"))))
    }

    @Test func theVendorsVectorFromItsJSON() throws {
        let body = try Self.body(
            #"{"text":"你好世界","language":"zh-CN","voice":"xiaoyan","format":"mp3","#
                + #""speed":50,"pitch":5e1,"volume":50.0,"style":null}"#
        )
        #expect(body.payload == "format=mp3&language=zh-CN&pitch=50&speed=50&text=你好世界&voice=xiaoyan&volume=50")
        #expect(
            RequestSignature.signature(of: body.payload, secretKey: Secret("test_secret_key_123"))
                == "OwKwMSazwAh1jmF/ro/dSSgMuJCt8RAFkmf7uZ9cEK4="
        )
    }

    @Test(arguments: [
        (#"{"text":"a","x":1e-7}"#, "text=a&x=0.0000001"),
        (#"{"text":"a","n":-0,"f":1.0}"#, "f=1&n=0&text=a"),
        (#"{"text":"a","big":123456789012345678901234567890}"#, "big=123456789012345678901234567890&text=a"),
        (#"{"text":"\u4f60\u597d & \ud83d\ude00","e":"","l":[1],"o":{},"b":false}"#, "b=false&text=你好 & \u{1F600}"),
        // U+FF5E comes behind the surrogates of U+1F600, although its scalar comes before.
        ("{\"\u{FF5E}\":1,\"\\ud83d\\ude00\":2,\"text\":\"a\"}", "text=a&\u{1F600}=2&\u{FF5E}=1"),
        (#"{"text":"a=b&c","\u0061":"1"}"#, "a=1&text=a=b&c"),
    ])
    func whatIsSigned(json: String, payload: String) throws {
        #expect(try Self.body(json).payload == payload)
    }

    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the vendor's vector file is skipped"))
    func everyVectorReadFromItsOwnJSON() throws {
        let folder = try #require(SharedMaterial.folder)
        let file = [UInt8](try Data(contentsOf: folder.appendingPathComponent("fixtures/sign-vectors.json")))
        let scanner = try JSONScanner(validating: file)
        let cases = scanner.elements(of: try #require(scanner.value(at: "cases"))).map(\.self)
        #expect(cases.count == 7)
        for vector in cases {
            func text(_ name: String) throws -> String {
                try #require(scanner.value(at: [name], in: vector).flatMap(scanner.string))
            }
            let parameters = try #require(scanner.value(at: ["params"], in: vector))
            let payload = RequestSignature.payload(of: try scanner.scalarMembers(of: parameters))
            #expect(try payload == text("payload"))
            #expect(try RequestSignature.signature(of: payload, secretKey: Secret(text("secret"))) == text("signature"))
        }
    }

    @Test(arguments: [
        #"{"text":"a"}"#, #"{"text":" "}"#,
        #"{"text":"a","language":null,"voice":null,"format":null,"speed":null,"style":null}"#,
        #"{"text":"a","language":"en-GB","voice":"a new one","format":"ogg","speed":0,"pitch":100,"volume":5e1}"#,
        #"{"text":"a","language":"","format":"","voice":"","style":"sad","unknown":{"a":[1]},"more":1.5}"#,
    ])
    func whatPasses(json: String) throws {
        _ = try Self.body(json)
    }

    @Test(arguments: [
        (#"{}"#, "text"), (#"{"text":null}"#, "text"), (#"{"text":""}"#, "text"), (#"{"text":7}"#, "text"),
        (#"{"text":["a"]}"#, "text"), (#"{"text":"\ud800"}"#, "text"),
        (#"{"text":"a","language":"fr-FR"}"#, "language"), (#"{"text":"a","language":1}"#, "language"),
        (#"{"text":"a","voice":1}"#, "voice"), (#"{"text":"a","voice":{}}"#, "voice"),
        (#"{"text":"a","format":"MP3"}"#, "format"), (#"{"text":"a","format":true}"#, "format"),
        (#"{"text":"a","style":1}"#, "style"),
        (#"{"text":"a","speed":-1}"#, "speed"), (#"{"text":"a","speed":101}"#, "speed"),
        (#"{"text":"a","speed":"50"}"#, "speed"), (#"{"text":"a","speed":50.5}"#, "speed"),
        (#"{"text":"a","pitch":1e3}"#, "pitch"), (#"{"text":"a","pitch":true}"#, "pitch"),
        (#"{"text":"a","volume":[]}"#, "volume"), (#"{"text":"a","volume":1E400}"#, "volume"),
        (#"{"text":"a","other":1E400}"#, "other"), (#"{"text":"a","other":"\udc00"}"#, "other"),
        (#"{"text":"a","te\u0078t":"b"}"#, "text"), (#"{"text":"a","x":1,"x":1}"#, "'x'"),
        (#"["text"]"#, "JSON object"), (#""text""#, "JSON object"), ("", "unexpected end"),
        (#"{"text":"a"} x"#, "behind"),
        (#"{"text":"a",}"#, "byte 12"), ("{\"text\":\"a\u{1}\"}", "control character"), (#"{'text':'a'}"#, "byte 1"),
        ("\u{FEFF}{\"text\":\"a\"}", "byte 0"),
    ])
    func whatIsRefusedByName(json: String, word: String) {
        let error = #expect(throws: GatewayError.self) { try Self.body(json) }
        #expect(error?.status == 400 && error?.code == .validation)
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
    }

    @Test func theBodyGoesOutAsItCame() throws {
        let json = "{ \"text\" : \"\\u4f60\", \"speed\": 5e1 }\n"
        let request = SpeechOperation(baseURL: "http://platform", body: try Self.body(json)) { $0 }
            .request(
                account: Account(name: "main", appKey: "ak", settings: Account.Settings(secretKey: Secret("secret"))),
                timestamp: 1,
                nonce: "n",
                upstreamKey: "k"
            )
        #expect(request.url == "http://platform/api/v1/tts/generate")
        guard case .bytes(let bytes, let range) = try #require(request.body.first), request.body.count == 1 else {
            Issue.record("one piece of memory")
            return
        }
        #expect(Array(bytes[range]) == Array(json.utf8))
    }

    @Test(arguments: [
        (
            #"{"code":0,"data":{"audioUrl":"/audio/a.mp3"}}"#,
            #"{"code":0,"data":{"audioUrl":"http://p/tts/audio/a.mp3"}}"#
        ),
        (
            #"{"data": {"x":1, "audioUrl" : "\/audio\/a.mp3" , "y":[ ]}}"#,
            #"{"data": {"x":1, "audioUrl" : "http://p/tts/audio/a.mp3" , "y":[ ]}}"#
        ),
        (#"{"data":{"audioUrl":"https://elsewhere/audio/a.mp3"}}"#, nil),
        (#"{"data":{"audioUrl":"audio/a"}}"#, nil),
        (#"{"data":{"audioUrl":null}}"#, nil),
        (#"{"data":{}}"#, nil),
        (#"{"audioUrl":"/audio/a.mp3","data":{}}"#, nil),
    ])
    func onlyHalfAnAddressIsCompleted(answer: String, stored: String?) {
        let bytes = SpeechAudioURL.replacing(in: Array(answer.utf8)) {
            SpeechAudioURL.absolute($0, baseURL: "http://p")
        }
        #expect(String(decoding: bytes, as: UTF8.self) == stored ?? answer)
    }
}
