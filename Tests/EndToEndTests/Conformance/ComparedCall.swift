import Foundation
import TestSupport

/// One request, as a client of the platform sends it there and as it sends it to the gateway in the platform's place.
struct ComparedCall: Sendable {
    var method = "POST"
    var path: String
    var contentType: String?
    var body: [UInt8] = []
    /// What the platform's signature covers, written out by the contract and by no signer of ours (section 3.4).
    var signedText = ""
    var key: String?
    var hasCredentials = true

    /// A native evaluation: form A, the exact text of `config`.
    static func native(
        _ config: String,
        audio: [UInt8] = TestAudio.wav(),
        image: [UInt8]? = nil,
        key: String? = nil
    ) -> ComparedCall {
        var form = TestForm.evaluation(config: config, audio: audio)
        if let image { form = form.adding("image", image, filename: "image.png", contentType: "image/png") }
        return ComparedCall(
            path: "/api/v1/evaluate",
            contentType: form.contentType.1,
            body: form.bytes,
            signedText: "config=\(config)",
            key: key
        )
    }

    /// A native evaluation of a sentence in Chinese.
    static func sentence(key: String? = nil) -> ComparedCall {
        .native(#"{"coreType":"sentence","referenceText":"今天天气很好","language":"zh-CN"}"#, key: key)
    }

    /// A compat evaluation: every text field, sorted by name.
    static func compat(
        _ name: String = "sent.eval.cn",
        _ texts: [(String, String)] = [("refText", "今天天气很好"), ("language", "zh-CN")],
        audio: [UInt8] = TestAudio.wav(),
        key: String? = nil
    ) -> ComparedCall {
        let form = TestForm.compat(texts, audio: audio)
        let pairs = texts.filter { !$0.1.isEmpty }.sorted { $0.0.utf16.lexicographicallyPrecedes($1.0.utf16) }
        return ComparedCall(
            path: "/\(name)",
            contentType: form.contentType.1,
            body: form.bytes,
            signedText: pairs.map { "\($0)=\($1)" }.joined(separator: "&"),
            key: key
        )
    }

    /// A request for speech.
    ///
    /// - Parameter signedText: The scalars of the body by name, as the contract spells them.
    static func speech(
        _ body: String = #"{"text":"你好世界","language":"zh-CN","speed":50}"#,
        signedText: String = "language=zh-CN&speed=50&text=你好世界",
        key: String? = nil
    ) -> ComparedCall {
        ComparedCall(
            path: "/api/v1/tts/generate",
            contentType: "application/json",
            body: Array(body.utf8),
            signedText: signedText,
            key: key
        )
    }

    /// A report.
    static func report(_ recordID: String) -> ComparedCall {
        ComparedCall(method: "GET", path: "/api/v1/report/\(recordID)")
    }

    /// A native evaluation as a browser sends it: `config` has a file name, so its members are signed in its place,
    /// which is form B.
    ///
    /// - Parameter signedText: The scalars of `config` by name, as the contract spells them.
    static func blob(_ config: String, signedText: String, key: String? = nil) -> ComparedCall {
        let form = TestForm()
            .adding("config", Array(config.utf8), filename: "blob", contentType: "application/json")
            .adding("audio", TestAudio.wav(), filename: "speech.wav", contentType: "audio/wav")
        return ComparedCall(
            path: "/api/v1/evaluate",
            contentType: form.contentType.1,
            body: form.bytes,
            signedText: signedText,
            key: key
        )
    }
}
