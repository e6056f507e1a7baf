import Cryptography
import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

/// The four fields of a signed request, made up by hand.
struct SigningFields {
    var account: SimulatedPlatform.Account
    var timestamp = Int(Date().timeIntervalSince1970)
    var nonce: String? = UUID().uuidString
    /// In place of the right one.
    var signature: String?

    init(_ account: SimulatedPlatform.Account) {
        self.account = account
    }

    func lines(over text: String) -> [String] {
        let signature = self.signature ?? EvaluateRequest.sign(text, self.account.secretKey)
        var lines = [
            "X-App-Key: \(self.account.appKey)", "X-Timestamp: \(self.timestamp)", "X-Signature: \(signature)",
        ]
        if let nonce = self.nonce { lines.append("X-Nonce: \(nonce)") }
        return lines
    }
}

/// A compat evaluation, made up by hand.
struct CompatRequest {
    var name = "sent.eval.cn"
    var fields: [(String, String)] = [("refText", "今天天气很好"), ("language", "zh-CN")]
    var audio: [UInt8]? = TestRecording.speech
    var audioName = "audio.wav"
    var signing: SigningFields
    /// The text that is signed; the fields in the order of their names by default.
    var signedText: String?
    /// In place of the signing fields.
    var credentials: [String]?
    var key: String?
    var lines: [String] = []
    var contentType = "multipart/form-data; boundary=XBOUNDARYX"

    init(_ platform: SimulatedPlatform, key: String? = nil) {
        self.signing = SigningFields(platform.account)
        self.key = key
    }

    init(_ platform: SimulatedPlatform, _ name: String, _ fields: [(String, String)], key: String? = nil) {
        self.init(platform, key: key)
        self.name = name
        self.fields = fields
    }

    var bytes: [UInt8] {
        var form = TestForm(boundary: "XBOUNDARYX")
        for (name, value) in self.fields { form = form.adding(name, Array(value.utf8)) }
        if let audio = self.audio {
            form = form.adding("audio", audio, filename: self.audioName, contentType: "audio/wav")
        }
        let body = form.bytes
        let pairs = self.fields.filter { !$0.1.isEmpty }.sorted { $0.0 < $1.0 }.map { "\($0.0)=\($0.1)" }
        let text = self.signedText ?? pairs.joined(separator: "&")
        var lines: [String] = [
            "POST /\(self.name) HTTP/1.1", "Host: platform", "Content-Length: \(body.count)",
            "Content-Type: \(self.contentType)",
        ]
        lines += (self.credentials ?? self.signing.lines(over: text))
        lines += (self.key.map { ["Idempotency-Key: \($0)"] } ?? [])
        lines += self.lines
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}

/// A request for speech, made up by hand.
struct SpeechRequest {
    var body = #"{"text":"你好世界","language":"zh-CN","voice":"xiaoyan","format":"mp3","speed":50}"#
    var signedText = "format=mp3&language=zh-CN&speed=50&text=你好世界&voice=xiaoyan"
    var signing: SigningFields
    var credentials: [String]?
    var key: String?
    var lines: [String] = []
    var contentType = "application/json"

    init(_ platform: SimulatedPlatform, key: String? = nil) {
        self.signing = SigningFields(platform.account)
        self.key = key
    }

    var bytes: [UInt8] {
        let body = Array(self.body.utf8)
        var lines: [String] = [
            "POST /api/v1/tts/generate HTTP/1.1", "Host: platform", "Content-Length: \(body.count)",
            "Content-Type: \(self.contentType)",
        ]
        lines += (self.credentials ?? self.signing.lines(over: self.signedText))
        lines += (self.key.map { ["Idempotency-Key: \($0)"] } ?? [])
        lines += self.lines
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }
}

/// A signature by the openssl command, which shares no code with anything here.
func opensslSignature(_ text: String, _ secret: String) async throws -> String {
    let key = Hex.encode(Array(secret.utf8))
    let (status, output) = try await ChildProcess.run(
        URL(filePath: "/usr/bin/openssl"),
        ["dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(key)"],
        input: Array(text.utf8)
    )
    try #require(status == 0, "\(output)")
    let hex = try #require(output.split(separator: " ").last).trimmingCharacters(in: .whitespacesAndNewlines)
    var bytes: [UInt8] = []
    var rest = hex[...]
    while !rest.isEmpty {
        bytes.append(try #require(UInt8(rest.prefix(2), radix: 16)))
        rest = rest.dropFirst(2)
    }
    return Data(bytes).base64EncodedString()
}

/// A GET without credentials.
func plainGET(_ path: String) -> [UInt8] {
    Array("GET \(path) HTTP/1.1\r\nHost: platform\r\n\r\n".utf8)
}
