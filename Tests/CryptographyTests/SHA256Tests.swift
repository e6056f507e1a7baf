import Cryptography
import Foundation
import Testing

/// FIPS 180-4, by the examples that NIST publishes with it.
let sha256Examples: [(message: String, digest: String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
]

@Suite struct SHA256Tests {
    @Test(arguments: sha256Examples)
    func examplesOfTheStandard(message: String, digest: String) {
        #expect(SHA256.hash(of: message).hex == digest)
        #expect(SHA256.hash(of: Array(message.utf8)).hex == digest)
    }

    @Test(arguments: sha256Examples)
    func piecesHashLikeTheWholeAtEverySplit(message: String, digest: String) {
        let bytes = Array(message.utf8)
        var hash = SHA256()
        for split in 0...bytes.count {
            hash.update(Array(bytes[..<split]))
            hash.update(Array(bytes[split...]))
            #expect(hash.finalize().hex == digest, "split at \(split)")
        }
    }

    @Test func aMillionLettersInUnevenPieces() {
        let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        var hash = SHA256()
        letters.withUnsafeBytes { letters in
            var start = 0
            var length = 1
            while start < letters.count {
                let end = min(start + length, letters.count)
                hash.update(UnsafeRawBufferPointer(rebasing: letters[start..<end]))
                start = end
                length = length * 3 % 70_001 + 1
            }
        }
        #expect(hash.finalize().hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func oneValueHashesMessagesInTurn() {
        var hash = SHA256()
        hash.update("abc")
        #expect(hash.finalize().hex == sha256Examples[1].digest)
        #expect(hash.finalize().hex == sha256Examples[0].digest, "nothing was taken since")
        hash.update("abc")
        #expect(hash.finalize().hex == sha256Examples[1].digest)
    }

    @Test func theSystemsToolAgreesOnRandomMessagesOfAllLengths() async throws {
        let lengths = Array(0...130) + [1_023, 4_096, 61_440, 65_537, 1_000_003]
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("sha256-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        var hash = SHA256()
        var expected: [String: String] = [:]
        for length in lengths {
            let message = SecureRandom.bytes(count: length)
            try Data(message).write(to: directory.appendingPathComponent("\(length)"))
            hash.update(message)
            expected["\(length)"] = hash.finalize().hex
        }
        // Lines such as `ba78… *17`.
        let output = try await ShellCommand.output(of: "cd '\(directory.path)' && openssl dgst -sha256 -r *")
        let lines = output.split(separator: "\n").map { $0.split(separator: " *") }
        #expect(lines.count == lengths.count)
        for line in lines {
            try #require(line.count == 2)
            #expect(expected[String(line[1])] == String(line[0]), "\(line[1]) bytes")
        }
    }

    @Test func aClassConsumesTheBytesOfSeveralParts() {
        final class PartConsumer {
            private var hash = SHA256()
            private(set) var digests: [String] = []

            func consume(_ bytes: UnsafeRawBufferPointer) {
                self.hash.update(bytes)
            }

            func endPart() {
                self.digests.append(self.hash.finalize().hex)
            }
        }
        let consumer = PartConsumer()
        for (message, _) in sha256Examples {
            Array(message.utf8).withUnsafeBytes { consumer.consume($0) }
            consumer.endPart()
        }
        #expect(consumer.digests == sha256Examples.map(\.digest))
    }
}

@Suite struct SHA1Tests {
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
    ])
    func examplesOfTheStandard(message: String, digest: String) {
        #expect(Hex.encode(SHA1.hash(of: message)) == digest)
    }

    @Test func theWebSocketHandshakeOfRFC6455() {
        let accept = SHA1.hash(of: "dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
        #expect(Base64.encode(accept) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }
}
