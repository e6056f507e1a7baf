import Cryptography
import HTTPWire
import TestSupport
import Testing

@testable import GatewayCore
@testable import ProviderYugu

/// What the platform reads must be what was signed: a signature that fails counts against the account of all tenants.
@Suite struct EvaluateOperationTests {
    private static let config = #"{"coreType":"word","referenceText":"hello"}"#

    private static func part(
        _ name: String,
        _ content: [UInt8],
        fileName: String? = nil,
        contentType: String? = nil
    ) -> ReceivedForm.Part {
        // Counts for fingerprints only, which nothing here makes.
        var digest = KeyedDigest(key: Secret("0123456789abcdef"))
        return ReceivedForm.Part(
            name: name,
            fileName: fileName,
            contentType: contentType,
            count: content.count,
            tag: digest.finalize(),
            text: content,
            range: nil
        )
    }

    private static func form(
        config: String = Self.config,
        audio: ReceivedForm.Part = Self.part("audio", [1, 2, 3]),
        _ others: ReceivedForm.Part...
    ) throws -> EvaluateForm {
        try EvaluateForm(native: ReceivedForm(parts: [Self.part("config", Array(config.utf8)), audio] + others))
    }

    /// The heads of the parts that go to the platform, by name.
    private static func sent(_ form: EvaluateForm) throws -> [String: MultipartPartHead] {
        let account = Account(name: "main", appKey: "ak", settings: Account.Settings(secretKey: Secret("secret")))
        let request = EvaluateOperation(baseURL: "http://platform", surface: .native, form: form)
            .request(account: account, timestamp: 1, nonce: "n", upstreamKey: "k")
        let type = try #require(request.fields[.contentType])
        var parser = MultipartParser(boundary: try MultipartParser.boundary(ofContentType: type))
        var heads: [String: MultipartPartHead] = [:]
        for segment in request.body {
            guard case .bytes(let bytes, let range) = segment else { continue }
            try bytes[range].withUnsafeBytes { piece in
                try parser.parse(piece) { if case .partBegan(let head) = $0 { heads[head.name] = head } }
            }
        }
        try parser.finish()
        return heads
    }

    @Test func aTextThatIsNotUTF8IsRefused() throws {
        _ = try Self.form(Self.part("note", Array("\u{4F60}".utf8)))
        let error = #expect(throws: GatewayError.self) { try Self.form(Self.part("note", [0x61, 0xFF])) }
        #expect(error?.status == 400 && error?.message.contains("note") == true)
    }

    @Test(arguments: ["a\"b", "a%22b", "a\\b", "a\r\nb", "a b", "\u{540D}", "", "a\tb"])
    func aNameThatServersReadDifferentlyIsRefused(name: String) {
        let error = #expect(throws: GatewayError.self) { try Self.form(Self.part(name, Array("1".utf8))) }
        #expect(error?.status == 400)
    }

    @Test(arguments: ["dict_type", "x-y.z", "a=1&b"])
    func aPlainNameIsTaken(name: String) throws {
        #expect(try Self.sent(Self.form(Self.part(name, Array("1".utf8))))[name] != nil)
    }

    @Test(arguments: [
        #"{"coreType":"word","referenceText":"hello","coreType":"open"}"#,
        #"{"coreType":"word","referenceText":"hello","core\u0054ype":"open"}"#,
    ])
    func aRepeatedMemberOfConfigIsRefused(config: String) {
        let error = #expect(throws: GatewayError.self) { try Self.form(config: config) }
        #expect(error?.status == 400 && error?.message.contains("config") == true)
    }

    @Test func aTextGoesOutWithoutATypeThatCouldChangeItsMeaning() throws {
        let note = Self.part("note", [0x31], fileName: "n.txt", contentType: "text/plain; charset=utf-16")
        let head = try #require(try Self.sent(Self.form(note))["note"])
        #expect(head == MultipartPartHead(name: "note"))
    }

    @Test(arguments: [
        ("speech.wav", "speech.wav"), ("C:\\voice\\a.wav", "a.wav"), ("/tmp/a.wav", "a.wav"), ("a.wav\\", "a.wav"),
        ("\u{5F55}\u{97F3}.mp3", "\u{5F55}\u{97F3}.mp3"), ("", "audio.wav"), ("/", "audio.wav"), (nil, "audio.wav"),
    ])
    func aFileNameIsItsLastPathComponent(given: String?, sent: String) throws {
        let audio = Self.part("audio", [1, 2, 3], fileName: given)
        #expect(try Self.sent(Self.form(audio: audio))["audio"]?.filename == sent)
    }

    @Test(arguments: [
        ("audio/x-wav", "audio/x-wav"), (nil, "audio/ogg"), ("application/octet-stream", "audio/ogg"),
        ("Application/Octet-Stream; x=y", "audio/ogg"), ("audio", "audio/ogg"), ("", "audio/ogg"),
        ("audio/ogg\"; x", "audio/ogg"),
    ])
    func anAudioTypeThatSaysNothingIsReplaced(given: String?, sent: String) throws {
        let audio = Self.part("audio", Array("OggS".utf8), contentType: given)
        #expect(try Self.sent(Self.form(audio: audio))["audio"]?.contentType == sent)
    }
}
