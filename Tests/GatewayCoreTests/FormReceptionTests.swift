import Cryptography
import Glibc
import HTTPWire
import SpeechAudio
import Store
import TestSupport
import Testing

@testable import GatewayCore

@Suite struct FormReceptionTests {
    private let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func storage(
        memoryBody: Int = 1 << 20,
        memoryBudget: Int = 64 << 20,
        fingerprintKey: Secret = Secret("0123456789abcdef")
    ) throws -> BodyStorage {
        var configuration = BodyStorage.Configuration()
        configuration.memoryBody = memoryBody
        configuration.memoryBudget = memoryBudget
        return BodyStorage(
            configuration: configuration,
            spool: try SpoolDirectory(SpoolDirectory.Configuration(directory: self.directory.path)),
            fingerprintKey: fingerprintKey
        )
    }

    private static func receive(
        _ body: [UInt8],
        in storage: BodyStorage,
        declared: Int? = nil,
        step: Int = .max,
        observers: [any FormObserver] = []
    ) throws -> ReceivedForm {
        let reception = FormReception(
            boundary: "b",
            fileParts: ["audio"],
            buffer: try storage.makeBuffer(declared: declared, for: BodyOwner(client: "c")),
            digest: storage.makeDigest(),
            observers: observers
        )
        var rest = body[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(step))
            try piece.withUnsafeBytes { try reception.consume($0) }
            rest = rest.dropFirst(piece.count)
        }
        return try reception.finish()
    }

    private static func part(_ disposition: String, _ content: [UInt8]) -> [UInt8] {
        Array("--b\r\nContent-Disposition: form-data; \(disposition)\r\n\r\n".utf8) + content + Array("\r\n".utf8)
    }

    private static let end = Array("--b--\r\n".utf8)

    private static func bytes(of segment: HTTPBodySegment) throws -> [UInt8] {
        switch segment {
        case .bytes(let bytes, let range):
            return Array(bytes[range])
        case .file(let file, let range):
            var bytes = [UInt8](repeating: 0, count: range.count)
            let count = pread(file.descriptor, &bytes, bytes.count, off_t(range.lowerBound))
            #expect(count == range.count)
            return bytes
        }
    }

    @Test(arguments: [1, 7, 4096, Int.max], [64, 1 << 20])
    func contentsAreKeptExactlyInMemoryAndInAFile(step: Int, memoryBody: Int) throws {
        let audio = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) } + Array("\r\n--c\r\n-".utf8) + [0]
        let body =
            Self.part("name=\"audio\"; filename=\"a.wav\"", audio) + Self.part("name=\"config\"", Array("{}".utf8))
            + Self.end
        let storage = try self.storage(memoryBody: memoryBody)
        let form = try Self.receive(body, in: storage, step: step)
        let part = try #require(form.part(named: "audio"))
        #expect(
            part.count == audio.count && part.fileName == "a.wav" && form.prefix(of: part) == Array(audio.prefix(16))
        )
        #expect(try Self.bytes(of: form.content(of: part)) == audio)
        #expect(form.part(named: "config")?.text == Array("{}".utf8))
    }

    /// The tags are what `printf hello | openssl mac -cipher AES-128-GCM -macopt
    /// hexkey:30313233343536373839616263646566 -macopt hexiv:000000000000000000000000 GMAC` prints, and for no bytes.
    @Test func everyPartHasItsOwnTag() throws {
        func tag(_ name: String, of form: ReceivedForm) -> String? {
            form.part(named: name)?.tag.withBytes { Hex.encode($0) }
        }
        let body = Self.part("name=\"x\"", Array("hello".utf8)) + Self.part("name=\"y\"", []) + Self.end
        let form = try Self.receive(body, in: try self.storage(), declared: body.count)
        #expect(tag("x", of: form) == "9aa5c73abefe0bd1652f043ba5da13ea")
        #expect(tag("y", of: form) == "01b04c381a66e4e94590d25fb0335aec")
    }

    private static let config = Self.part("name=\"config\"", Array("{}".utf8))
    private static let audio = Self.part("name=\"audio\"; filename=\"a.wav\"", [1, 2, 3])

    private static func fingerprint(of parts: [[UInt8]], in storage: BodyStorage) throws -> String {
        let body = parts.reduce([], +) + Self.end
        let form = try Self.receive(body, in: storage, declared: body.count)
        return Fingerprint.make(operation: "evaluate", path: "/p", form: form).hex
    }

    /// Computed by hand, with `openssl mac` for the contents and `sha256sum` over the fields: a fingerprint outlives the
    /// program that made it.
    @Test func theFingerprintOfAFormIsFixed() throws {
        let fingerprint = try Self.fingerprint(of: [Self.config, Self.audio], in: try self.storage())
        #expect(fingerprint == "ef3c53ccd8a25d254721c83acbfac0f9d62039e211f24db8cfa132bd11e891e0")
    }

    @Test func fingerprintsLastAsLongAsTheirDatabaseAndAreOfNoUseInAnother() async throws {
        func fingerprint(storeIn folder: String) async throws -> String {
            let store = try Store.open(Store.Configuration(directory: self.directory.path + folder))
            let storage = try self.storage(fingerprintKey: store.fingerprintKey)
            await store.close()
            return try Self.fingerprint(of: [Self.config, Self.audio], in: storage)
        }
        let first = try await fingerprint(storeIn: "/a")
        #expect(try await fingerprint(storeIn: "/a") == first)
        #expect(try await fingerprint(storeIn: "/b") != first)
    }

    @Test func fingerprintIgnoresOrderAndFileNamesAndSeesEveryByte() throws {
        func fingerprint(_ parts: [[UInt8]]) throws -> String {
            try Self.fingerprint(of: parts, in: try self.storage())
        }
        let (config, audio) = (Self.config, Self.audio)
        let reference = try fingerprint([config, audio])
        #expect(try fingerprint([audio, config]) == reference)
        #expect(try fingerprint([config, Self.part("name=\"audio\"; filename=\"b.wav\"", [1, 2, 3])]) == reference)
        #expect(try fingerprint([config, Self.part("name=\"audio\"; filename=\"a.wav\"", [1, 2, 4])]) != reference)
        #expect(try fingerprint([Self.part("name=\"config\"", Array("{ }".utf8)), audio]) != reference)
        #expect(try fingerprint([config, audio, Self.part("name=\"x\"", [])]) != reference)
    }

    /// The header of iOS recordings: what fills it up to 4 KiB comes in front of the samples.
    private static let recording: [UInt8] = {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let format = number(1, 2) + number(1, 2) + number(16_000, 4) + number(32_000, 4) + number(2, 2) + number(16, 2)
        return Array("RIFF".utf8) + number(0, 4) + Array("WAVEfmt ".utf8) + number(16, 4) + format
            + Array("FLLR".utf8) + number(4044, 4) + [UInt8](repeating: 0, count: 4044)
            + Array("data".utf8) + number(48_000, 4) + [UInt8](repeating: 3, count: 48_000)
    }()

    @Test(arguments: [false, true], [1000, 1 << 20])
    func theLengthOfARecordingIsReadOnceWhereverItLies(isJudged: Bool, memoryBody: Int) throws {
        let body = Self.part("name=\"audio\"; filename=\"a.wav\"", Self.recording) + Self.config + Self.end
        let form = try Self.receive(
            body,
            in: try self.storage(memoryBody: memoryBody),
            declared: body.count,
            step: 1000,
            observers: isJudged ? [RecordingJudge(of: "audio")] : []
        )
        let audio = try #require(form.part(named: "audio"))
        #expect(form.recordingLength(of: audio)?.seconds == 1.5)
        #expect((audio.verdict != nil) == isJudged)
        let config = try #require(form.part(named: "config"))
        #expect(form.recordingLength(of: config) == nil && config.verdict == nil)
    }

    @Test func aRepeatedNameIsRefused() throws {
        let body = Self.part("name=\"x\"", [1]) + Self.part("name=\"x\"", [2]) + Self.end
        let storage = try self.storage()
        #expect(throws: GatewayError.self) { try Self.receive(body, in: storage, declared: body.count) }
    }

    @Test func aFormWithoutItsEndIsRefused() throws {
        let body = Self.part("name=\"x\"", [1])
        let storage = try self.storage()
        #expect(throws: GatewayError.self) { try Self.receive(body, in: storage, declared: body.count) }
    }

    @Test func anUploadAboveTheLimitIsRefusedByItsDeclaredLength() throws {
        let storage = try self.storage()
        let owner = BodyOwner(client: "c")
        #expect(throws: GatewayError.self) { try storage.makeBuffer(declared: (50 << 20) + 1, for: owner) }
        _ = try storage.makeBuffer(declared: 50 << 20, for: owner)
    }

    @Test func bodiesBeyondTheMemoryBudgetGoToFilesAndTheBudgetComesBack() throws {
        // A client has a quarter of three quarters: 1500 bytes.
        let storage = try self.storage(memoryBudget: 8000)
        func isInMemory(_ body: [UInt8]) throws -> (Bool, ReceivedForm) {
            let form = try Self.receive(body, in: storage, declared: body.count)
            let part = try #require(form.part(named: "audio"))
            guard case .bytes = form.content(of: part) else { return (false, form) }
            return (true, form)
        }
        let body = Self.part("name=\"audio\"", [UInt8](repeating: 1, count: 800)) + Self.end
        var first: (Bool, ReceivedForm)? = try isInMemory(body)
        #expect(first?.0 == true)
        #expect(try isInMemory(body).0 == false)
        first = nil
        #expect(try isInMemory(body).0 == true)
    }
}
