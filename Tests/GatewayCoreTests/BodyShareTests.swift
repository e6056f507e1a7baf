import Cryptography
import HTTPWire
import Store
import TestSupport
import Testing

@testable import GatewayCore

/// How clients share the room for bodies.
@Suite struct BodyShareTests {
    private static let school = BodyOwner(client: "school")

    private let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func storage(memory: Int, spool: Int64, freeOnDisk: Int64 = 0) throws -> BodyStorage {
        var configuration = BodyStorage.Configuration()
        configuration.memoryBudget = memory
        var files = SpoolDirectory.Configuration(directory: self.directory.path)
        files.budget = spool
        files.minimumFree = freeOnDisk
        return BodyStorage(
            configuration: configuration,
            spool: try SpoolDirectory(files),
            fingerprintKey: Secret("0123456789abcdef")
        )
    }

    /// Opens bodies of 1 MiB until there is no room for another, as who trickles them does.
    private func fill(_ storage: BodyStorage, of client: String, user: String? = nil) throws -> [BodyBuffer] {
        var buffers: [BodyBuffer] = []
        while buffers.count < 1000 {
            do throws(GatewayError) {
                buffers.append(try storage.makeBuffer(declared: 1 << 20, for: BodyOwner(client: client, user: user)))
            } catch {
                #expect(error.status == 503 && error.reason == "spool_full" && error.retryAfter != nil)
                return buffers
            }
        }
        return buffers
    }

    @Test func theBodiesOfOneClientLeaveRoomForThoseOfOthers() throws {
        let storage = try self.storage(memory: 64 << 20, spool: 64 << 20)
        let greedy = try self.fill(storage, of: "greedy")
        // Beyond its share of memory it has one of the spool, and both are quarters.
        #expect(greedy.count == 12 + 16 && storage.memoryBytes == 12 << 20 && storage.spoolBytes == 16 << 20)
        let others = try ["a", "b", "c"].map { try self.fill(storage, of: $0) }
        #expect(others.allSatisfy { $0.count == greedy.count })
        withExtendedLifetime(greedy) {}
    }

    @Test func theBodiesOfOneUserLeaveRoomForThoseOfOthers() throws {
        let storage = try self.storage(memory: 64 << 20, spool: 64 << 20)
        let greedy = try self.fill(storage, of: "school", user: "mei")
        #expect(greedy.count == 6 + 8 && storage.memoryBytes == 6 << 20 && storage.spoolBytes == 8 << 20)
        // One of the same name is another client's.
        #expect(try self.fill(storage, of: "kiosk", user: "mei").count == 6 + 8)
        #expect(try self.fill(storage, of: "school", user: "lin").count == 6 + 8)
        withExtendedLifetime(greedy) {}
    }

    @Test func uploadsThatFillEverythingRefuseNothingSmall() async throws {
        let bench = try await PrincipalBench()
        let storage = try self.storage(memory: 64 << 20, spool: 64 << 20)
        let buffers = try (0..<5).map { try self.fill(storage, of: "client-\($0)") }
        #expect(buffers.last?.isEmpty == true)
        let fields = PrincipalBench.bearer(PrincipalBench.key) + [(.contentType, "application/json")]
        let exchange = PrincipalBench.exchange(fields, body: PiecewiseBody(bytes: Array(#"{"a":1}"#.utf8)))
        let admission = try bench.access.admit(exchange, for: .tts)
        let json = try await exchange.receiveJSON(limit: 64 << 10, storage: storage, admission: admission).json
        #expect(json.bytes.count == 7)
        withExtendedLifetime(buffers) {}
        await bench.close()
    }

    @Test func manySmallBodiesOfOneClientRefuseNoneOfOthers() throws {
        let storage = try self.storage(memory: 16 << 20, spool: 0)
        let greedy = BodyOwner(client: "greedy")
        var rooms: [BodyRoom] = []
        while rooms.count < 1000, let room = try? storage.reserveText(64 << 10, of: greedy) { rooms.append(room) }
        #expect(rooms.count == 16)
        #expect(throws: Never.self) { try storage.reserveText(1 << 20, of: Self.school) }
        withExtendedLifetime(rooms) {}
    }

    @Test(arguments: [false, true])
    func aCompleteBodyKeepsRoomForWhatItIs(isChunked: Bool) async throws {
        let bench = try await PrincipalBench()
        let storage = try self.storage(memory: 64 << 20, spool: 0)
        let key = PrincipalBench.bearer(PrincipalBench.key)
        let text = Array(#"{"text":"hi"}"#.utf8)
        let json = PrincipalBench.exchange(
            key + [(.contentType, "application/json")],
            body: PiecewiseBody(bytes: text),
            isChunked: isChunked
        )
        let received = try await json.receiveJSON(
            limit: 64 << 10,
            storage: storage,
            admission: try bench.access.admit(json, for: .tts)
        )
        #expect(storage.memoryBytes == text.count)
        // Mostly texts: what is kept of the file is little.
        let form = TestForm().adding("config", [UInt8](repeating: 0x20, count: 100_000))
            .adding("audio", [UInt8](repeating: 7, count: 1000), filename: "a.wav")
        let upload = PrincipalBench.exchange(
            key + [(.contentType, form.contentType.1)],
            body: PiecewiseBody(bytes: form.bytes),
            isChunked: isChunked
        )
        let kept = try await upload.receiveForm(
            fileParts: ["audio"],
            storage: storage,
            admission: try bench.access.admit(upload, for: .evaluate)
        )
        let beside = storage.memoryBytes - text.count - 1000
        #expect((100_000...100_100).contains(beside))
        withExtendedLifetime((received, kept)) {}
        await bench.close()
    }

    @Test func roomComesBackWithTheBody() async throws {
        let storage = try self.storage(memory: 8 << 20, spool: 8 << 20)
        var buffers = try self.fill(storage, of: "school")
        #expect(!buffers.isEmpty)
        buffers = []
        #expect(storage.memoryBytes == 0 && storage.spoolBytes == 0)
    }

    @Test func aDiskThatIsNearlyFullIsSaidToBe() throws {
        let storage = try self.storage(memory: 16 << 20, spool: 1 << 40, freeOnDisk: 1 << 60)
        let inMemory = try (0..<3).map { _ in try storage.makeBuffer(declared: 1 << 20, for: Self.school) }
        let error = #expect(throws: GatewayError.self) { try storage.makeBuffer(declared: 1 << 20, for: Self.school) }
        #expect(error?.status == 503 && error?.reason == "disk_low" && error?.retryAfter != nil)
        withExtendedLifetime(inMemory) {}
    }
}
