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
        let claiming = try storage.makeBuffer(declared: 900, from: "192.0.2.1")
        #expect(spool.reservedBytes == 0, "to announce bytes takes no room")
        try self.append(500, to: claiming)
        let own = try storage.makeBuffer(declared: 1000, client: "school")
        let refused = await self.refusal { try claiming.give(to: "school") }
        #expect(refused?.status == 503 && refused?.reason == "spool_full")
        #expect(!claiming.isGiven)
        withExtendedLifetime(own) {}
    }

    @Test func whatIsProvenBecomesTheClients() throws {
        let spool = try self.spool(4000)
        let storage = try self.storage(memoryBody: 100, unproven: 2000, spool: spool)
        let buffer = try storage.makeBuffer(declared: 600, from: "192.0.2.1")
        try self.append(450, to: buffer)
        try buffer.give(to: "school")
        // 500 bytes are what one address may take unproven.
        try self.append(150, to: buffer)
        let next = try storage.makeBuffer(declared: 600, from: "192.0.2.1")
        try self.append(450, to: next)
        guard case .file(_, let range) = buffer.segment(0..<600) else {
            Issue.record("it is in memory")
            return
        }
        #expect(range.count == 600)
    }

    @Test func anAddressGetsAQuarterOfTheRoomOfUnknownSenders() async throws {
        let storage = try self.storage(unproven: 4000)
        let first = try storage.makeBuffer(declared: nil, from: "192.0.2.1")
        let second = try storage.makeBuffer(declared: nil, from: "192.0.2.1")
        try self.append(600, to: first)
        try self.append(400, to: second)
        let refused = await self.refusal { try self.append(1, to: second) }
        #expect(refused?.status == 503 && refused?.reason == "unproven_full")
        let other = try storage.makeBuffer(declared: nil, from: "192.0.2.2")
        try self.append(1000, to: other)
        // A subscriber's addresses are one.
        let six = try storage.makeBuffer(declared: nil, from: "2001:db8::1")
        try self.append(1000, to: six)
        let neighbour = try storage.makeBuffer(declared: nil, from: "2001:db8::2")
        #expect(await self.refusal { try self.append(1, to: neighbour) }?.reason == "unproven_full")
        withExtendedLifetime((first, other, six)) {}
    }

    @Test(arguments: [nil, 40_000] as [Int?])
    func textsAndHeadsOfPartsCountToo(declared: Int?) async throws {
        // Bodies of more than 100 bytes go to the spool, texts stay in memory all the same.
        let storage = try self.storage(memoryBody: 100, memory: 70_000)
        func receive(_ form: TestForm) throws {
            let type = form.contentType.1
            let reception = FormReception(
                boundary: try MultipartParser.boundary(ofContentType: type),
                fileParts: ["audio"],
                buffer: try storage.makeBuffer(declared: declared, client: "school"),
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
        by bench: PrincipalBench,
        to storage: BodyStorage
    ) async -> GatewayError? {
        let form = Self.form()
        return await self.refusal {
            let body = PiecewiseBody(bytes: form.bytes, end: end)
            let fields = bench.signed(text) + [(.contentType, form.contentType.1)]
            let exchange = PrincipalBench.exchange(fields, body: body)
            let admission = try bench.access.admit(exchange, for: .evaluate)
            _ = try await exchange.receiveForm(fileParts: ["audio"], storage: storage, admission: admission)
        }
    }

    @Test func contentThatNeverEndsCountsAsAGuessUntilItIsProven() async throws {
        var configuration = ClientAccess.Configuration()
        configuration.failedCredentials = 3
        let bench = try await PrincipalBench(configuration: configuration)
        let storage = try self.storage()
        for _ in 0..<10 {
            let proven = await self.send(signing: "config=" + Self.config, end: 800, by: bench, to: storage)
            #expect(proven?.status == 408, "the texts prove it")
        }
        for _ in 0..<3 {
            #expect(await self.send(signing: "guessed", end: 800, by: bench, to: storage)?.status == 408)
        }
        let slowed = await self.send(signing: "guessed", end: 800, by: bench, to: storage)
        #expect(slowed?.status == 429 && slowed?.reason == "invalid_credentials")
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
