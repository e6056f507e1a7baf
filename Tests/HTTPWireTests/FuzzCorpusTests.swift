import FoundationEssentials
import HTTPWire
import TestSupport
import Testing

/// The inputs that fuzzing starts from, and those that once broke a parser, in all cuttings.
@Suite struct FuzzCorpusTests {
    private func inputs(_ parser: String) throws -> [(name: String, bytes: [UInt8])] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fuzz/Corpus/\(parser)")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            // The first byte is the fuzzer's: it says how to cut.
            (name, Array(try Data(contentsOf: folder.appending(path: name)).dropFirst()))
        }
    }

    @Test func requests() throws {
        let inputs = try self.inputs("HTTP1Request")
        #expect(!inputs.isEmpty)
        for (name, bytes) in inputs {
            let (whole, problems) = HTTP1Transcript.verified(bytes)
            #expect(problems.isEmpty, "\(name): \(problems)")
            #expect(!whole.outcomes.isEmpty, "\(name) leads to nothing")
        }
    }

    @Test func multipart() throws {
        let inputs = try self.inputs("Multipart")
        #expect(!inputs.isEmpty)
        for (name, bytes) in inputs {
            let line = bytes.prefix { $0 != 0x0A }
            let boundary = try? MultipartParser.boundary(ofContentType: String(decoding: line, as: UTF8.self))
            let (whole, problems) = MultipartTranscript.verified(
                Array(bytes.dropFirst(line.count + 1)),
                boundary: boundary ?? "b"
            )
            #expect(problems.isEmpty, "\(name): \(problems)")
            #expect(!whole.parts.isEmpty, "\(name) leads to nothing")
        }
    }

    @Test func webSocketFrames() throws {
        let inputs = try self.inputs("WebSocket")
        #expect(!inputs.isEmpty)
        for (name, bytes) in inputs {
            for role in [WebSocketRole.server, .client] {
                let (whole, problems) = WebSocketTranscript.verified(bytes, role: role)
                #expect(problems.isEmpty, "\(name): \(problems)")
                #expect(!whole.items.isEmpty, "\(name) leads to nothing")
            }
        }
    }
}
