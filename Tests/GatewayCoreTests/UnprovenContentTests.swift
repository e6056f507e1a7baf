import Cryptography
import HTTPWire
import Store
import TestSupport
import Testing

@testable import GatewayCore

/// Whose room content takes, before and after it is known who sends it.
@Suite struct UnprovenContentTests {
    private static let config = #"{"coreType":"word","referenceText":"apple"}"#

    private let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func spool(_ budget: Int64 = 4 << 30) throws -> SpoolDirectory {
        var configuration = SpoolDirectory.Configuration(directory: self.directory.path)
        configuration.budget = budget
        return try SpoolDirectory(configuration)
    }

    private func storage(
        memoryBody: Int = 1 << 20,
        memory: Int = 64 << 20,
        unproven: Int = 64 << 20,
        spool: SpoolDirectory? = nil
    ) throws -> BodyStorage {
        var configuration = BodyStorage.Configuration()
        configuration.memoryBody = memoryBody
        configuration.memoryBudget = memory
        configuration.unprovenBudget = unproven
        return BodyStorage(
            configuration: configuration,
            spool: try spool ?? self.spool(),
            fingerprintKey: Secret("0123456789abcdef")
        )
    }

    private func refusal(_ work: () async throws -> Void) async -> GatewayError? {
        do {
            try await work()
            return nil
        } catch {
            return error as? GatewayError
        }
    }

    private func append(_ count: Int, to buffer: BodyBuffer) throws {
        try [UInt8](repeating: 7, count: count).withUnsafeBytes { try buffer.append($0) }
    }

    @Test func nothingIsTakenFromTheClaimedClientBeforeTheProof() async throws {
        // A client's share of the spool is 1000 bytes.
        let spool = try self.spool(4000)
        let storage = try self.storage(memoryBody: 0, spool: spool)
        let claiming = try storage.makeBuffer(declared: 900, from: "192.0.2.1", claiming: "school")
        #expect(spool.reservedBytes == 0, "to announce bytes takes no room")
        try self.append(500, to: claiming)
        let own = try storage.makeBuffer(declared: 1000, for: BodyOwner(client: "school"))
        let refused = await self.refusal { try claiming.give(to: BodyOwner(client: "school")) }
        #expect(refused?.status == 503 && refused?.reason == "spool_full")
        #expect(!claiming.isGiven)
        withExtendedLifetime(own) {}
    }

    @Test func whatIsProvenBecomesTheClients() throws {
        let spool = try self.spool(4000)
        let storage = try self.storage(memoryBody: 100, unproven: 2000, spool: spool)
        let buffer = try storage.makeBuffer(declared: 600, from: "192.0.2.1", claiming: "school")
        try self.append(450, to: buffer)
        try buffer.give(to: BodyOwner(client: "school"))
        // 500 bytes are what one address may take unproven.
        try self.append(150, to: buffer)
        let next = try storage.makeBuffer(declared: 600, from: "192.0.2.1", claiming: "school")
        try self.append(450, to: next)
        guard case .file(_, let range) = buffer.segment(0..<600) else {
            Issue.record("it is in memory")
            return
        }
        #expect(range.count == 600)
    }

    /// Takes room of unknown senders, of which there are 4000 bytes; nil when it is refused.
    private func fill(
        _ count: Int,
        of storage: BodyStorage,
        from address: String,
        claiming client: String
    ) async throws -> BodyBuffer? {
        let buffer = try storage.makeBuffer(declared: nil, from: address, claiming: client)
        guard let refusal = await self.refusal({ try self.append(count, to: buffer) }) else { return buffer }
        #expect(refusal.status == 503 && refusal.reason == "unproven_full")
        return nil
    }

    @Test func anAddressGetsAQuarterOfTheRoomOfUnknownSenders() async throws {
        let storage = try self.storage(unproven: 4000)
        let first = try await self.fill(600, of: storage, from: "192.0.2.1", claiming: "a")
        let second = try await self.fill(400, of: storage, from: "192.0.2.1", claiming: "b")
        #expect(first != nil && second != nil)
        #expect(try await self.fill(1, of: storage, from: "192.0.2.1", claiming: "c") == nil)
        let other = try await self.fill(1000, of: storage, from: "192.0.2.2", claiming: "c")
        // A subscriber's addresses are one.
        let six = try await self.fill(1000, of: storage, from: "2001:db8::1", claiming: "d")
        #expect(other != nil && six != nil)
        #expect(try await self.fill(1, of: storage, from: "2001:db8::2", claiming: "e") == nil)
        withExtendedLifetime((first, second, other, six)) {}
    }

    @Test func aSiteOfManySubscribersGetsHalf() async throws {
        let storage = try self.storage(unproven: 4000)
        var kept: [BodyBuffer?] = []
        for (address, client) in [("2001:db8:0:1::1", "a"), ("2001:db8:0:2::1", "b")] {
            kept.append(try await self.fill(1000, of: storage, from: address, claiming: client))
        }
        #expect(try await self.fill(1, of: storage, from: "2001:db8:0:3::1", claiming: "c") == nil)
        kept.append(try await self.fill(1000, of: storage, from: "2001:db8:1::1", claiming: "c"))
        #expect(kept.allSatisfy { $0 != nil })
    }

    @Test func whoKnowsAPublicKeyGetsHalfInItsNameWhereverItIs() async throws {
        let storage = try self.storage(unproven: 4000)
        var kept: [BodyBuffer?] = []
        for address in ["192.0.2.1", "2001:db8::1"] {
            kept.append(try await self.fill(1000, of: storage, from: address, claiming: "school"))
        }
        #expect(try await self.fill(1, of: storage, from: "192.0.2.3", claiming: "school") == nil)
        // No client is taken for an address of the same name.
        kept.append(try await self.fill(1000, of: storage, from: "192.0.2.3", claiming: "192.0.2.1"))
        #expect(kept.allSatisfy { $0 != nil })
        kept = []
        #expect(storage.unprovenBytes == 0)
        #expect(try await self.fill(1000, of: storage, from: "192.0.2.3", claiming: "school") != nil)
    }

    @Test func onlyContentOfUnknownSendersIsHurried() throws {
        let storage = try self.storage()
        let buffer = try storage.makeBuffer(declared: nil, from: "192.0.2.1", claiming: "school")
        let type = Self.form().contentType.1
        let reception = FormReception(
            boundary: try MultipartParser.boundary(ofContentType: type),
            fileParts: ["audio"],
            buffer: buffer,
            digest: storage.makeDigest()
        )
        #expect(reception.timeLimit == .seconds(60))
        try buffer.give(to: BodyOwner(client: "school"))
        #expect(reception.timeLimit == nil)
        let room = try storage.reserveUnproven(from: "192.0.2.1", claiming: "school")
        #expect(JSONReception(room, unproven: .seconds(60)).timeLimit == .seconds(60))
        #expect(JSONReception(try storage.reserveText(0, of: BodyOwner(client: "school"))).timeLimit == nil)
    }

    @Test(arguments: [nil, 40_000] as [Int?])
    func textsAndHeadsOfPartsCountToo(declared: Int?) async throws {
        // Bodies of more than 100 bytes go to the spool, texts stay in memory all the same: in a quarter of a quarter.
        let storage = try self.storage(memoryBody: 100, memory: 16 * 70_000)
        func receive(_ form: TestForm) throws {
            let type = form.contentType.1
            let reception = FormReception(
                boundary: try MultipartParser.boundary(ofContentType: type),
                fileParts: ["audio"],
                buffer: try storage.makeBuffer(declared: declared, for: BodyOwner(client: "school")),
                digest: storage.makeDigest()
            )
            try form.bytes.withUnsafeBytes { try reception.consume($0) }
            _ = try reception.finish()
        }
        try receive(TestForm().adding("text", [UInt8](repeating: 0x61, count: 60_000)))
        let text = TestForm().adding("text", [UInt8](repeating: 0x61, count: 80_000))
        #expect(await self.refusal { try receive(text) }?.reason == "spool_full")
        var heads = TestForm()
        for number in 0..<10 {
            heads = heads.adding("p\(number)", [], filename: String(repeating: "a", count: 8_000))
        }
        let form = heads
        #expect(await self.refusal { try receive(form) }?.reason == "spool_full")
        try receive(TestForm().adding("text", [UInt8](repeating: 0x61, count: 60_000)))
    }

    private static func form(audio: Int = 1000) -> TestForm {
        TestForm().adding("config", Array(Self.config.utf8))
            .adding("audio", [UInt8](repeating: 7, count: audio), filename: "a.wav")
    }

    /// Sends a signed form that ends after some bytes.
    private func send(
        signing text: String,
        end: Int,
        _ failure: HTTPRequestBodyError = .timedOut,
        by bench: PrincipalBench,
        to storage: BodyStorage
    ) async -> GatewayError? {
        let form = Self.form()
        return await self.refusal {
            let body = PiecewiseBody(bytes: form.bytes, end: end, failure: failure)
            let fields = bench.signed(text) + [(.contentType, form.contentType.1)]
            let exchange = PrincipalBench.exchange(fields, body: body)
            let admission = try bench.access.admit(exchange, for: .evaluate)
            _ = try await exchange.receiveForm(fileParts: ["audio"], storage: storage, admission: admission)
        }
    }

    @Test(arguments: [(HTTPRequestBodyError.timedOut, 408), (.tooLarge, 413)])
    func contentThatNeverEndsCountsAsAGuessUntilItIsProven(failure: HTTPRequestBodyError, status: Int) async throws {
        var configuration = ClientAccess.Configuration()
        configuration.failedCredentials = 3
        let bench = try await PrincipalBench(configuration: configuration)
        let storage = try self.storage()
        for _ in 0..<10 {
            let proven = await self.send(signing: "config=" + Self.config, end: 800, failure, by: bench, to: storage)
            #expect(proven?.status == status, "the texts prove it")
        }
        for _ in 0..<3 {
            #expect(await self.send(signing: "guessed", end: 800, failure, by: bench, to: storage)?.status == status)
        }
        let slowed = await self.send(signing: "guessed", end: 800, failure, by: bench, to: storage)
        #expect(slowed?.status == 429 && slowed?.reason == "invalid_credentials")
        await bench.close()
    }

    @Test(arguments: [HTTPRequestBodyError.disconnected, .malformed("a chunk")])
    func aLinkThatBreaksIsNoGuess(failure: HTTPRequestBodyError) async throws {
        var configuration = ClientAccess.Configuration()
        configuration.failedCredentials = 3
        let bench = try await PrincipalBench(configuration: configuration)
        let storage = try self.storage()
        // In the texts, before they prove anything: as often as a mobile network likes.
        for _ in 0..<20 {
            let broken = await self.send(signing: "config=" + Self.config, end: 90, failure, by: bench, to: storage)
            #expect(broken?.status == 400)
        }
        let json = Array(#"{"text":"hi"}"#.utf8)
        for _ in 0..<20 {
            let broken = await self.refusal {
                let fields = bench.signed("text=hi") + [(.contentType, "application/json")]
                let body = PiecewiseBody(bytes: json, end: 5, failure: failure)
                let exchange = PrincipalBench.exchange(fields, body: body)
                let admission = try bench.access.admit(exchange, for: .tts)
                _ = try await exchange.receiveJSON(limit: 1000, storage: storage, admission: admission)
            }
            #expect(broken?.status == 400)
        }
        let whole = await self.send(signing: "config=" + Self.config, end: .max, by: bench, to: storage)
        #expect(whole == nil)
        // A wrong signature is one.
        for _ in 0..<3 {
            let wrong = await self.send(signing: "guessed", end: .max, by: bench, to: storage)
            #expect(wrong?.status == 401)
        }
        #expect(bench.refusal(of: bench.signed("", appKey: "sgk_other"))?.status == 429)
        await bench.close()
    }

    @Test func signedJSONTakesNoMemoryOfOthersBeforeTheProof() async throws {
        let bench = try await PrincipalBench()
        let json = Array(#"{"text":"hi"}"#.utf8)
        func send(_ fields: [(HTTPField.Name, String)], to storage: BodyStorage) async -> GatewayError? {
            await self.refusal {
                let all = fields + [(HTTPField.Name.contentType, "application/json")]
                let exchange = PrincipalBench.exchange(all, body: PiecewiseBody(bytes: json))
                let admission = try bench.access.admit(exchange, for: .tts)
                _ = try await exchange.receiveJSON(limit: 1000, storage: storage, admission: admission)
            }
        }
        let key = PrincipalBench.bearer(PrincipalBench.key)
        let full = try self.storage(memory: 10)
        #expect(await send(key, to: full)?.reason == "spool_full")
        #expect(await send(bench.signed("text=ho"), to: full)?.status == 401, "it was read")
        #expect(await send(bench.signed("text=hi"), to: full)?.reason == "spool_full")
        let little = try self.storage(unproven: 40)
        #expect(await send(bench.signed("text=hi"), to: little)?.reason == "unproven_full")
        #expect(await send(key, to: little) == nil)
        #expect(await send(bench.signed("text=hi"), to: try self.storage()) == nil)
        await bench.close()
    }
}
