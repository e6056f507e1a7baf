import Foundation
import JSONScan
import Testing

/// Answers recorded from the platform, where the shared material is at hand.
enum RecordedAnswers {
    static let directory: URL = {
        let environment = ProcessInfo.processInfo.environment["SPEECHGATE_SHARED"]
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let shared = environment.map { URL(fileURLWithPath: $0) } ?? root.appendingPathComponent("../shared")
        return shared.appendingPathComponent("fixtures/platform").standardizedFileURL
    }()

    static let names: [String] =
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path))?.filter { $0.hasSuffix(".json") }
        .sorted()
        ?? []

    static var areRequired: Bool { ProcessInfo.processInfo.environment["SPEECHGATE_REQUIRE_SHARED"] == "1" }

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: self.directory.appendingPathComponent(name)))
    }
}

@Suite struct RecordedAnswersTests {
    @Test(.enabled(if: RecordedAnswers.areRequired))
    func theSharedMaterialIsThere() {
        #expect(RecordedAnswers.names.count >= 19)
    }

    @Test(
        .enabled(if: !RecordedAnswers.names.isEmpty, "no shared material (SPEECHGATE_SHARED)"),
        arguments: RecordedAnswers.names
    )
    func everyRecordingIsValidAndReadAsFoundationReadsIt(name: String) throws {
        let bytes = try RecordedAnswers.bytes(name)
        let scanner = try JSONScanner(validating: bytes)
        let tree = try JSONSerialization.jsonObject(with: Data(bytes))
        try expectEqual(scanner, try scanner.whole(), tree, at: name)
    }

    @Test(
        .enabled(if: !RecordedAnswers.names.isEmpty, "no shared material (SPEECHGATE_SHARED)"),
        arguments: RecordedAnswers.names
    )
    func noTruncatedRecordingIsValid(name: String) throws {
        let bytes = try RecordedAnswers.bytes(name)
        let end = try #require(bytes.lastIndex { $0 > 0x20 })
        // Every length of the small ones; of the large ones some dozen, and the last ones.
        let step = bytes.count < 1_000 ? 1 : bytes.count / 23
        for length in Array(stride(from: 0, to: end, by: step)) + Array(end - 20...end) {
            do {
                try JSONScanner(Array(bytes[..<length])).validate()
                Issue.record("\(name) cut to \(length) passed")
            } catch {
                // Every beginning of a valid text could still become one, so the fault lies at its end.
                guard error != JSONScanError(.unexpectedEnd, at: length) else { continue }
                Issue.record("\(name) cut to \(length): \(error)")
            }
        }
    }

    @Test(
        .enabled(
            if: RecordedAnswers.names.contains("native_sentence_en.json"),
            "no shared material (SPEECHGATE_SHARED)"
        )
    )
    func theMembersThatTheGatewayReadsAreThere() throws {
        let scanner = try JSONScanner(validating: RecordedAnswers.bytes("native_sentence_en.json"))
        let recordID = try #require(scanner.value(at: "recordId").flatMap(scanner.string(of:)))
        #expect(recordID.hasPrefix("eval_"))
        let overall = try #require(scanner.value(at: "result", "overall").flatMap(scanner.double(of:)))
        #expect((0...100).contains(overall))
        #expect(scanner.value(at: "code") == nil)
    }
}

/// Compares what the scanner finds with a tree of Foundation's parser, value by value.
private func expectEqual(_ scanner: JSONScanner, _ value: JSONValueRange, _ tree: Any, at path: String) throws {
    switch value.kind {
    case .object:
        let dictionary = try #require(tree as? [String: Any], "\(path)")
        let members = Array(scanner.members(of: value))
        #expect(members.count == dictionary.count, "\(path)")
        for member in members {
            let below = try #require(dictionary[member.key], "\(path).\(member.key)")
            try expectEqual(scanner, member.value, below, at: "\(path).\(member.key)")
            #expect(scanner.value(at: [member.key], in: value) == member.value)
        }
    case .array:
        let array = try #require(tree as? [Any], "\(path)")
        let elements = Array(scanner.elements(of: value))
        try #require(elements.count == array.count, "\(path)")
        for (index, element) in elements.enumerated() {
            try expectEqual(scanner, element, array[index], at: "\(path)[\(index)]")
        }
    case .string:
        #expect(scanner.string(of: value) == tree as? String, "\(path)")
    case .number:
        #expect(scanner.double(of: value) == (tree as? NSNumber)?.doubleValue, "\(path)")
    case .true:
        #expect(tree as? Bool == true, "\(path)")
    case .false:
        #expect(tree as? Bool == false, "\(path)")
    case .null:
        #expect(tree is NSNull, "\(path)")
    }
}
