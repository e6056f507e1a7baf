import Cryptography
import GatewayCore
import HTTPWire
import Testing

@testable import ProviderYugu

/// Addresses of audio at the gateway: whom they are for, how long, and where they lead.
@Suite struct SpeechRelayTests {
    private struct NoTransport: HTTPContentTransport {
        func open(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportStream {
            throw HTTPTransportError(reason: .refused, bytesSent: 0, detail: "")
        }
    }

    private static let base = "https://platform.example"
    private static let audio = "https://ygyx.dragonai.tech/tts-local/a.mp3"
    private static let day: Int64 = 86_400_000

    private static let key = Secret([UInt8](repeating: 1, count: 32))
    private static let otherKey = Secret([UInt8](repeating: 2, count: 32))

    private static func relay(
        _ masters: MasterKeys = MasterKeys(current: Self.key),
        hosts: [String] = ["ygyx.dragonai.tech"]
    ) -> SpeechRelay {
        var configuration = SpeechRelay.Configuration(gatewayURL: "https://gate.example")
        configuration.hosts = hosts
        return SpeechRelay(configuration: configuration, masters: masters, transport: NoTransport())
    }

    private static func link(_ url: String = Self.audio, user: String? = "mei") throws -> String {
        let owner = SpeechRelay.Owner(client: "school", user: user)
        let address = try #require(Self.relay().address(of: url, for: owner, baseURL: Self.base, now: 0))
        let prefix = "https://gate.example/v1/audio/"
        #expect(address.hasPrefix(prefix))
        return String(address.dropFirst(prefix.count))
    }

    private static func url(_ link: String, client: String = "school", user: String?, now: Int64 = 1) -> String? {
        Self.relay().url(of: link, for: SpeechRelay.Owner(client: client, user: user), now: now)
    }

    @Test func anAddressIsForItsClientAndUserAndAWhile() throws {
        let link = try Self.link()
        #expect(Self.url(link, user: "mei") == Self.audio)
        // A client without a user sees all of its own.
        #expect(Self.url(link, user: nil) == Self.audio)
        #expect(Self.url(link, user: "li") == nil)
        #expect(Self.url(link, client: "other", user: "mei") == nil)
        #expect(Self.url(link, client: "other", user: nil) == nil)
        #expect(Self.url(link, user: "mei", now: 7 * Self.day - 1) == Self.audio)
        #expect(Self.url(link, user: "mei", now: 7 * Self.day) == nil)
        let clients = try Self.link(user: nil)
        #expect(Self.url(clients, user: nil) == Self.audio && Self.url(clients, user: "mei") == nil)
    }

    @Test func itTellsNothingAndCannotBeMade() throws {
        let link = try Self.link()
        let bytes = try #require(Base64.decode(link, as: .urlSafe))
        #expect(String(decoding: bytes, as: UTF8.self).contains("dragonai") == false)
        #expect(try Self.link() != link)
        for text in [
            "", "a", "AAAA", link + "A", String(link.dropLast()), Base64.encode([UInt8](repeating: 0, count: 60)),
        ] {
            #expect(Self.url(text, user: "mei") == nil, "\(text)")
        }
        for index in stride(from: 0, to: bytes.count, by: 7) {
            var changed = bytes
            changed[index] ^= 0x10
            #expect(Self.url(Base64.encode(changed, as: .urlSafe), user: "mei") == nil)
        }
        let owner = SpeechRelay.Owner(client: "school", user: "mei")
        #expect(Self.relay(MasterKeys(current: Self.otherKey)).url(of: link, for: owner, now: 1) == nil)
        let rotated = MasterKeys(current: Self.otherKey, previous: Self.key)
        #expect(Self.relay(rotated).url(of: link, for: owner, now: 1) == Self.audio)
    }

    @Test(arguments: [
        (Self.base + "/tts/audio/a.mp3", "platform"), (Self.audio, "listed"),
        ("https://YGYX.dragonai.tech/a", "listed"), ("https://ygyx.dragonai.tech?a", "listed"),
        ("http://ygyx.dragonai.tech/a", nil), ("https://ygyx.dragonai.tech:8443/a", nil),
        ("https://ygyx.dragonai.tech@evil.example/a", nil), ("https://evil.example/ygyx.dragonai.tech/", nil),
        ("https://platform.example.evil.example/a", nil), ("https://platform.example@evil.example/a", nil),
        ("https://ygyx.dragonai.tech.evil.example/a", nil), ("https://evil.example", nil), ("file:///etc/passwd", nil),
        ("//ygyx.dragonai.tech/a", nil), ("", nil), ("https://ygyx.dragonai.tech\\@evil.example/", nil),
    ])
    func whereAnAddressMayLead(url: String, reach: String?) {
        #expect(Self.relay().reach(of: url, baseURL: Self.base).map { "\($0)" } == reach)
    }

    @Test func anAddressOfAnotherHostStaysAsItIs() {
        let owner = SpeechRelay.Owner(client: "school", user: nil)
        let address = Self.relay().address(of: "https://elsewhere.example/a", for: owner, baseURL: Self.base, now: 0)
        #expect(address == nil)
    }

    @Test(
        arguments: [
            (["bytes=0-99"], "bytes=0-99"), (["bytes=-5"], "bytes=-5"), (["bytes=1-2, 4-"], "bytes=1-2, 4-"), ([], nil),
            (["bytes=0-1", "bytes=0-2"], nil), (["lines=1-2"], nil), (["bytes=a-b"], nil),
            (["bytes=" + String(repeating: "0-1,", count: 40)], nil),
        ] as [([String], String?)]
    )
    func ofTheClientsFieldsTheRangeAloneGoesOn(ranges: [String], sent: String?) throws {
        var fields = HTTPFields()
        for range in ranges { fields.append(HTTPField.Name(literal: "Range"), range) }
        fields.append(.authorization, "Bearer secret")
        for (reach, isPublic) in [(SpeechRelay.Reach.platform, false), (.listed, true)] {
            let request = Self.relay().request(Self.audio, reach, of: fields)
            #expect(request.fields[HTTPField.Name(literal: "Range")] == sent)
            #expect(request.fields[.authorization] == nil)
            #expect(request.isForPublicAddressesOnly == isPublic && request.maximumResponseBody == 32 << 20)
        }
    }
}
