import Cryptography
import Foundation
import Testing

@Suite struct KeyedDigestTests {
    private static func hex(_ tag: KeyedDigest.Tag) -> String {
        tag.withBytes { Hex.encode($0) }
    }

    /// Gives a message in pieces of many lengths.
    private static func update(_ digest: inout KeyedDigest, inPiecesOf message: [UInt8], from first: Int) {
        message.withUnsafeBytes { message in
            var start = 0
            var length = first
            while start < message.count {
                let end = min(start + length, message.count)
                digest.update(UnsafeRawBufferPointer(rebasing: message[start..<end]))
                start = end
                length = length * 3 % 70_001 + 1
            }
        }
    }

    /// Test case 1 of the GCM specification, whose vector is zero: no text and no further data.
    @Test func theExampleOfTheSpecification() {
        var digest = KeyedDigest(key: Secret([UInt8](repeating: 0, count: 16)))
        #expect(Self.hex(digest.finalize()) == "58e2fccefa7e3061367f1d57a4e7455a")
        #expect(Self.hex(digest.finalize()) == "58e2fccefa7e3061367f1d57a4e7455a", "nothing was taken since")
    }

    /// One value digests them all in turn, so each result but the first is that of a value used again.
    @Test func theSystemsToolAgreesOnRandomMessagesOfAllLengths() async throws {
        let lengths = Array(0...130) + [1_024, 61_440, 1_000_003]
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("gmac-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let key = SecureRandom.bytes(count: KeyedDigest.keyByteCount)
        var digest = KeyedDigest(key: Secret(key))
        var tags: [String: Set<String>] = [:]
        for length in lengths {
            let message = SecureRandom.bytes(count: length)
            try Data(message).write(to: directory.appendingPathComponent("\(length)"))
            digest.update(message)
            tags["\(length)", default: []].insert(Self.hex(digest.finalize()))
            for first in [1, 15, 16, 17, 4_096] {
                Self.update(&digest, inPiecesOf: message, from: first)
                tags["\(length)", default: []].insert(Self.hex(digest.finalize()))
            }
        }
        // Lines such as `17 58E2…`.
        let output = try await ShellCommand.output(
            of: """
                cd '\(directory.path)' && for name in *; do
                    echo "$name $(openssl mac -cipher AES-128-GCM -macopt hexkey:\(Hex.encode(key)) \
                        -macopt hexiv:000000000000000000000000 -in "$name" GMAC)" || exit 1
                done
                """
        )
        let lines = output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.count == lengths.count)
        for line in lines {
            try #require(line.count == 2)
            #expect(tags[String(line[0])] == [line[1].lowercased()], "\(line[0]) bytes")
        }
    }

    @Test(arguments: [0, 1, 16, 33, 100])
    func piecesDigestLikeTheWholeAtEverySplit(length: Int) {
        let message = SecureRandom.bytes(count: length)
        var digest = KeyedDigest(key: Secret("0123456789abcdef"))
        digest.update(message)
        let whole = Self.hex(digest.finalize())
        for split in 0...length {
            digest.update(Array(message[..<split]))
            digest.update(Array(message[split...]))
            #expect(Self.hex(digest.finalize()) == whole, "split at \(split)")
        }
    }

    /// The tag is what `printf abc | openssl mac -cipher AES-128-GCM -macopt hexkey:30313233343536373839616263646566
    /// -macopt hexiv:000000000000000000000000 GMAC` prints.
    @Test func anotherBeginsAnewWhateverTheFirstHasTakenAndOutlivesIt() {
        func another(taking bytes: [UInt8]) -> KeyedDigest {
            var first = KeyedDigest(key: Secret("0123456789abcdef"))
            first.update(bytes)
            return first.makeAnother()
        }
        for taken in [[], [1, 2, 3], [UInt8](repeating: 1, count: 16)] {
            var digest = another(taking: taken)
            for _ in 0..<2 {
                digest.update(Array("abc".utf8))
                #expect(Self.hex(digest.finalize()) == "e5c8a7f8e5aa8bd90cf318227ca0c4ff")
            }
        }
    }

    @Test func manyTasksCopyOneValueAtATime() async {
        final class Holder: Sendable {
            let digest = KeyedDigest(key: Secret("0123456789abcdef"))
        }
        let holder = Holder()
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<500 {
                        var digest = holder.digest.makeAnother()
                        digest.update(Array("abc".utf8))
                        guard Self.hex(digest.finalize()) == "e5c8a7f8e5aa8bd90cf318227ca0c4ff" else { return false }
                    }
                    return true
                }
            }
            for await areRight in group { #expect(areRight) }
        }
    }

    @Test func otherKeysGiveOtherTags() {
        var tags: Set<String> = []
        for key in ["0123456789abcdef", "0123456789abcdeg"] {
            var digest = KeyedDigest(key: Secret(key))
            digest.update(Array("abc".utf8))
            tags.insert(Self.hex(digest.finalize()))
        }
        #expect(tags.count == 2)
    }

    @Test func nothingPrintsATag() {
        struct Part {
            let tag: KeyedDigest.Tag
        }
        var digest = KeyedDigest(key: Secret([UInt8](repeating: 0, count: 16)))
        let tag = digest.finalize()
        var dumped = ""
        dump(Part(tag: tag), to: &dumped)
        let word = tag.withBytes { $0.loadUnaligned(as: UInt64.self) }
        for output in ["\(tag)", String(reflecting: tag), "\(Part(tag: tag))", String(reflecting: [tag]), dumped] {
            #expect(output.contains("<redacted>"))
            #expect(!output.contains("\(word)") && !output.lowercased().contains("58e2"))
        }
    }
}
