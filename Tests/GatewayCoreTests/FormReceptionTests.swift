import Cryptography
import Foundation
import HTTPWire
import Store
import Testing

@testable import GatewayCore

@Suite struct FormReceptionTests {
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("speechgate-form-\(UUID().uuidString)").path

    private func storage(memoryBody: Int = 1 << 20, memoryBudget: Int = 64 << 20) throws -> BodyStorage {
        var configuration = BodyStorage.Configuration()
        configuration.memoryBody = memoryBody
        configuration.memoryBudget = memoryBudget
        return BodyStorage(
            configuration: configuration,
            spool: try SpoolDirectory(SpoolDirectory.Configuration(directory: self.directory))
        )
    }

    private static func receive(
        _ body: [UInt8],
        into buffer: BodyBuffer,
        step: Int = .max
    ) throws -> ReceivedForm {
        let reception = FormReception(boundary: "b", fileParts: ["audio"], buffer: buffer)
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
        let form = try Self.receive(body, into: try storage.makeBuffer(declared: nil, client: "c"), step: step)
        let part = try #require(form.part(named: "audio"))
        #expect(part.count == audio.count && part.fileName == "a.wav" && part.prefix == Array(audio.prefix(16)))
        #expect(try Self.bytes(of: form.content(of: part)) == audio)
        #expect(form.part(named: "config")?.text == Array("{}".utf8))
    }

    /// The digests are what `printf %s hello | sha256sum` and `printf '' | sha256sum` print.
    @Test func everyPartHasItsOwnDigest() throws {
        let body = Self.part("name=\"x\"", Array("hello".utf8)) + Self.part("name=\"y\"", []) + Self.end
        let form = try Self.receive(body, into: try self.storage().makeBuffer(declared: body.count, client: "c"))
        #expect(
            form.part(named: "x")?.digest.hex == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        )
        #expect(
            form.part(named: "y")?.digest.hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        )
    }

    @Test func fingerprintIgnoresOrderAndFileNamesAndSeesEveryByte() throws {
        func fingerprint(_ parts: [[UInt8]]) throws -> String {
            let body = parts.reduce([], +) + Self.end
            let buffer = try self.storage().makeBuffer(declared: body.count, client: "c")
            return Fingerprint.make(operation: "evaluate", path: "/p", form: try Self.receive(body, into: buffer)).hex
        }
        let config = Self.part("name=\"config\"", Array("{}".utf8))
        let audio = Self.part("name=\"audio\"; filename=\"a.wav\"", [1, 2, 3])
        let reference = try fingerprint([config, audio])
        #expect(try fingerprint([audio, config]) == reference)
        #expect(try fingerprint([config, Self.part("name=\"audio\"; filename=\"b.wav\"", [1, 2, 3])]) == reference)
        #expect(try fingerprint([config, Self.part("name=\"audio\"; filename=\"a.wav\"", [1, 2, 4])]) != reference)
        #expect(try fingerprint([Self.part("name=\"config\"", Array("{ }".utf8)), audio]) != reference)
        #expect(try fingerprint([config, audio, Self.part("name=\"x\"", [])]) != reference)
    }

    @Test func aRepeatedNameIsRefused() throws {
        let body = Self.part("name=\"x\"", [1]) + Self.part("name=\"x\"", [2]) + Self.end
        let buffer = try self.storage().makeBuffer(declared: body.count, client: "c")
        #expect(throws: GatewayError.self) { try Self.receive(body, into: buffer) }
    }

    @Test func aFormWithoutItsEndIsRefused() throws {
        let body = Self.part("name=\"x\"", [1])
        let buffer = try self.storage().makeBuffer(declared: body.count, client: "c")
        #expect(throws: GatewayError.self) { try Self.receive(body, into: buffer) }
    }

    @Test func anUploadAboveTheLimitIsRefusedByItsDeclaredLength() throws {
        let storage = try self.storage()
        #expect(throws: GatewayError.self) { try storage.makeBuffer(declared: (50 << 20) + 1, client: "c") }
        _ = try storage.makeBuffer(declared: 50 << 20, client: "c")
    }

    @Test func bodiesBeyondTheMemoryBudgetGoToFilesAndTheBudgetComesBack() throws {
        let storage = try self.storage(memoryBudget: 1000)
        func isInMemory(_ body: [UInt8]) throws -> (Bool, ReceivedForm) {
            let form = try Self.receive(body, into: try storage.makeBuffer(declared: 900, client: "c"))
            let part = try #require(form.part(named: "audio"))
            guard case .bytes = form.content(of: part) else { return (false, form) }
            return (true, form)
        }
        let body = Self.part("name=\"audio\"", [1, 2, 3]) + Self.end
        var first: (Bool, ReceivedForm)? = try isInMemory(body)
        #expect(first?.0 == true)
        #expect(try isInMemory(body).0 == false)
        first = nil
        #expect(try isInMemory(body).0 == true)
    }
}
