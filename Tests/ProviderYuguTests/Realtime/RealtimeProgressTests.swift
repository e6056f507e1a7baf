import Foundation
import HTTPWire
import Store
import TestSupport
import Testing

@testable import GatewayCore
@testable import ProviderYugu

/// Progress keeps nobody waiting, and the last word is the result's.
@Suite struct RealtimeProgressTests {
    private static func progress(_ readUnits: Int, of count: Int = 9, words: Range<Int>? = nil) -> String {
        let units = (0..<count).map { index in
            #"{"word":"w\#(index)","read":\#(index < readUnits),"matched":\#(index < readUnits)}"#
        }
        let entries = words.map { $0.map { #"{"word":"w\#($0)"}"# }.joined(separator: ",") }
        let list = entries.map { #","words":[\#($0)]"# } ?? ""
        return #"{"eof":0,"result":{"bytes":1,"progress":[\#(units.joined(separator: ","))]\#(list)}}"#
    }

    private static func started(_ bench: RealtimeBench, key: String? = nil) async throws -> RoundClient {
        let client = try await bench.connect()
        try await client.begin(key: key)
        await until { bench.platform.startCount == 1 }
        return client
    }

    enum Meanwhile: CaseIterable { case nothing, aMinute, drain }

    @Test(arguments: Meanwhile.allCases)
    func aClientThatDoesNotReadKeepsNobodyFromThePlatform(meanwhile: Meanwhile) async throws {
        let bench = try RealtimeBench()
        let client = try await Self.started(bench, key: "k")
        client.line.peerHolds()
        await bench.platform.line?.send(.text(Self.progress(1)))
        await until { client.line.peerHeldCount == 1 }
        for units in 2...9 { await bench.platform.line?.send(.text(Self.progress(units))) }
        await client.end()
        // The result is read and stored although nobody takes it.
        let key = try #require(IdempotencyKey("k"))
        let scope = CallScope(client: "school", user: nil, key: key).hash
        try await until { try bench.store.lookUp(scope)?.answer != nil }
        // Whatever would end the session waits for the result to be told.
        switch meanwhile {
        case .nothing: break
        case .aMinute: await bench.pass(.seconds(61))
        case .drain: client.drain()
        }
        try await bench.drain()
        client.line.peerLetsGo()
        // The first was on its way already; of the others the newest is left, then the result.
        #expect(try await client.next() == Self.progress(1))
        #expect(try await client.next() == Self.progress(9))
        #expect(try await client.next().contains(#""recordId""#))
        await bench.close()
    }

    @Test func everyFrameReachesAClientThatReads() async throws {
        let bench = try RealtimeBench()
        let client = try await Self.started(bench)
        for units in 1...9 {
            await bench.platform.line?.send(.text(Self.progress(units)))
            #expect(try await client.next() == Self.progress(units))
        }
        await client.end()
        #expect(try await client.next().contains(#""recordId""#))
        await bench.close()
    }

    @Test func nothingFollowsTheLastWord() async throws {
        let bench = try RealtimeBench(precheck: .reject)
        let client = try await bench.connect()
        try await client.begin(audio: [UInt8](repeating: 0, count: 64_000))
        await until { bench.platform.startCount == 1 }
        client.line.peerHolds()
        await client.end()
        await until { client.line.peerHeldCount == 1 }
        await bench.platform.line?.send(.text(Self.progress(3)))
        try await Task.sleep(for: .milliseconds(20))
        client.line.peerLetsGo()
        #expect(try await client.next().contains(#""code":90103"#))
        await client.send(#"{"cmd":"ping"}"#)
        #expect(try await client.next().contains("pong"))
        await bench.close()
    }

    // MARK: Words

    private static func merged(_ frame: String, dropping count: Int = 0, waiting: String? = nil) -> String {
        let dialect = YuguDialect(surface: .compat(.chineseSentence), baseURL: "http://platform")
        let bytes = dialect.progress(Array(frame.utf8), droppingWords: count, inPlaceOf: waiting.map { Array($0.utf8) })
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func aFrameThatTakesAnothersPlaceTellsItsWordsToo() {
        let waiting = Self.progress(4, words: 2..<4)
        #expect(
            Self.merged(Self.progress(6, words: 4..<6), waiting: waiting) == Self.progress(6, words: 2..<6)
        )
        #expect(Self.merged(Self.progress(4, words: 4..<4), waiting: waiting) == waiting)
        // After a break the words come from the first unit on; the client has been told of them, or is now.
        #expect(
            Self.merged(Self.progress(6, words: 0..<6), dropping: 4, waiting: waiting) == Self.progress(6, words: 2..<6)
        )
    }

    @Test(arguments: ["", #","words":null"#])
    func aFrameWithoutWordsThatTakesAnothersPlaceTellsItsWords(words: String) throws {
        let newer = #"{"result":{"bytes":2,"progress":[]\#(words)}}"#
        let merged = Self.merged(newer, waiting: Self.progress(4, words: 2..<4))
        let frame = try JSONDecoder().decode(Frame.self, from: Data(merged.utf8))
        #expect(frame.result.words.map(\.word) == ["w2", "w3"])
        #expect(frame.result.bytes == 2)
        #expect(Self.merged(newer, waiting: Self.progress(4)) == newer)
        // Of a platform that tells words without the units that they stand for, what is sent on stays JSON.
        #expect(Self.merged(#"{"result":{}}"#, waiting: #"{"result":{"words":[{"word":"w"}]}}"#) == #"{"result":{}}"#)
    }

    private struct Frame: Decodable {
        struct Word: Decodable { let word: String }
        struct Result: Decodable {
            let bytes: Int
            let words: [Word]
        }
        let result: Result
    }

    @Test func bytesAloneTakeNobodysPlaceWhoTellsMore() {
        let bytes = #"{"eof":0,"result":{"bytes":32000}}"#
        #expect(Self.merged(bytes, waiting: Self.progress(2)) == Self.progress(2))
        #expect(Self.merged(bytes, waiting: #"{"eof":0,"result":{"bytes":16000}}"#) == bytes)
        #expect(Self.merged(Self.progress(2), waiting: bytes) == Self.progress(2))
    }
}
