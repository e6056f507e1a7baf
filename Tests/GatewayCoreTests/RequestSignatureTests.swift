import Cryptography
import Foundation
import GatewayCore
import TestSupport
import Testing

@Suite struct RequestSignatureTests {
    struct Vector: Sendable {
        let name: String
        let secret: String
        let parameters: [(name: String, value: String)]
        let payload: String
        let signature: String
    }

    /// The seven signatures, computed with `printf %s PAYLOAD | openssl dgst -sha256 -hmac SECRET -binary | base64`.
    static let vectors = [
        Vector(
            name: "compat form",
            secret: "test_secret_key_123",
            parameters: [("coreType", "sent.eval.cn"), ("refText", "北京你好"), ("language", "zh-CN")],
            payload: "coreType=sent.eval.cn&language=zh-CN&refText=北京你好",
            signature: "A+6uVB/D7khxQEt8tzgCNjMUC1QtQQd1UF+NCYVYZqE="
        ),
        Vector(
            name: "native config part",
            secret: "test_secret_key_123",
            parameters: [
                (
                    "config",
                    #"{"coreType":"sentence","referenceText":"今天天气很好","language":"zh-CN","slack":0.2,"scale":100,"includeReport":false}"#
                )
            ],
            payload:
                #"config={"coreType":"sentence","referenceText":"今天天气很好","language":"zh-CN","slack":0.2,"scale":100,"includeReport":false}"#,
            signature: "VPCtiJ2Qq5u/+rADfmRI7PvVeqt9goHgbiWoztYW2ag="
        ),
        Vector(
            name: "empty values are dropped",
            secret: "test_secret_key_123",
            parameters: [
                ("refText", "How are you"), ("language", "en-US"), ("paragraph_need_word_score", "1"),
                ("refPinyin", ""),
            ],
            payload: "language=en-US&paragraph_need_word_score=1&refText=How are you",
            signature: "YVajpFF/THZKqoMEJ1YgumyNifcelD4k6SgggXMZKao="
        ),
        Vector(
            name: "literal scalars",
            secret: "test_secret_key_123",
            parameters: [
                ("text", "你好世界"), ("language", "zh-CN"), ("voice", "xiaoyan"), ("format", "mp3"), ("speed", "50"),
                ("pitch", "50"), ("volume", "50"),
            ],
            payload: "format=mp3&language=zh-CN&pitch=50&speed=50&text=你好世界&voice=xiaoyan&volume=50",
            signature: "OwKwMSazwAh1jmF/ro/dSSgMuJCt8RAFkmf7uZ9cEK4="
        ),
        Vector(
            name: "handshake query",
            secret: "test_secret_key_123",
            parameters: [
                ("timestamp", "1791447600"), ("nonce", "0123456789abcdef"), ("appKey", "ak_test"),
                ("idempotencyKey", "3f0b6a1c9d2e4f5a8b7c6d5e4f3a2b1c"),
            ],
            payload: "appKey=ak_test&idempotencyKey=3f0b6a1c9d2e4f5a8b7c6d5e4f3a2b1c&nonce=0123456789abcdef"
                + "&timestamp=1791447600",
            signature: "/nQKY6YLDY1o9QsZphE5etDBKxhUMyIjgqFEOlOFx8w="
        ),
        Vector(
            name: "nothing to sign",
            secret: "test_secret_key_123",
            parameters: [],
            payload: "",
            signature: "q5Q0Pi4Q+j7PNBaI2X6mF6yMN8+9u202Riw462d2xjc="
        ),
        Vector(
            name: "nothing is encoded",
            secret: "s3cr3t/+=",
            parameters: [("x", "中文，标点。"), ("refText", "a&b=c d+e%20")],
            payload: "refText=a&b=c d+e%20&x=中文，标点。",
            signature: "F83DtN5Yjyi12MyV2BPS68x5YGHRc5eR7c1CE2iWAaA="
        ),
    ]

    @Test(arguments: vectors)
    func knownSignature(vector: Vector) {
        let payload = RequestSignature.payload(of: vector.parameters)
        #expect(payload == vector.payload)
        #expect(RequestSignature.signature(of: payload, secretKey: Secret(vector.secret)) == vector.signature)
    }

    @Test func namesAreSortedByUTF16CodeUnits() {
        // U+1F600 begins with the surrogate D83D, which comes before U+FF5E, although its scalar comes after.
        let payload = RequestSignature.payload(of: [("\u{FF5E}", "1"), ("\u{1F600}", "2"), ("a", "3"), ("Z", "4")])
        #expect(payload == "Z=4&a=3&\u{1F600}=2&\u{FF5E}=1")
    }

    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the vendor's vector file is skipped"))
    func everyVectorOfTheVendorsFile() throws {
        let folder = try #require(SharedMaterial.folder)
        let data = try Data(contentsOf: folder.appendingPathComponent("fixtures/sign-vectors.json"))
        let file = try JSONDecoder().decode(VectorFile.self, from: data)
        #expect(file.cases.count == 7)
        for vector in file.cases {
            let payload = RequestSignature.payload(of: vector.params.map { ($0.key, $0.value ?? "") })
            #expect(payload == vector.payload, "\(vector.name)")
            #expect(RequestSignature.signature(of: payload, secretKey: Secret(vector.secret)) == vector.signature)
        }
    }

    private struct VectorFile: Decodable {
        struct Case: Decodable {
            let name: String
            let secret: String
            let params: [String: String?]
            let payload: String
            let signature: String
        }

        let cases: [Case]
    }
}
