import Foundation
import Telemetry
import TestSupport
import Testing

@Suite struct FileSinkTests {
    let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func path(_ name: String) -> String { self.directory.path + "/" + name }

    @Test func aRotationByRenamingLosesNoLine() async throws {
        let sink = try FileSink(path: self.path("log"))
        let logger = Logger(sink: sink)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<1_000 { logger.info("line", ["writer": .int(writer), "number": .int(number)]) }
                }
            }
            group.addTask {
                for round in 0..<20 {
                    rename(self.path("log"), self.path("log.\(round)"))
                    #expect(throws: Never.self) { try sink.reopen() }
                    await Task.yield()
                }
            }
        }
        var numbers: [Int: [Int]] = [:]
        for name in (0..<20).map({ "log.\($0)" }) + ["log"] {
            for line in try self.directory.contents(of: name).split(separator: 0x0A) {
                let object = try #require(JSONText.object(Array(line)))
                let writer = try #require(object["writer"] as? Int)
                numbers[writer, default: []].append(try #require(object["number"] as? Int))
            }
        }
        #expect(numbers.count == 4)
        // Also in their order, from file to file.
        #expect(numbers.values.allSatisfy { $0 == Array(0..<1_000) })
        #expect(sink.lostLines == 0)
    }

    @Test func whatIsThereStaysAndNobodyElseReadsWhatIsMade() throws {
        try self.directory.write(Array("old\n".utf8), to: "log")
        let sink = try FileSink(path: self.path("log"), format: .text)
        Logger(sink: sink) { .zero }.info("m")
        let line = "1970-01-01T00:00:00.000Z info m\n"
        #expect(try self.directory.contents(of: "log") == Array(("old\n" + line).utf8))
        _ = try FileSink(path: self.path("new"))
        #expect(try self.directory.mode(of: "new") & 0o777 == 0o640)
    }

    @Test func aFileThatCannotBeOpenedAgainLeavesTheOldOne() throws {
        try #require(mkdir(self.path("folder"), 0o700) == 0)
        let sink = try FileSink(path: self.path("folder/log"), format: .text)
        let logger = Logger(sink: sink)
        rename(self.path("folder"), self.path("away"))
        let error = #expect(throws: FileSink.OpenError.self) { try sink.reopen() }
        #expect(
            error?.description == "cannot open the log file \(self.path("folder/log")): No such file or directory"
        )
        logger.info("goes on")
        #expect(try String(decoding: self.directory.contents(of: "away/log"), as: UTF8.self).hasSuffix("goes on\n"))
    }

    @Test func aFullDiskLosesLinesAndIsNoFault() throws {
        let sink = try FileSink(path: "/dev/full")
        let logger = Logger(sink: sink)
        for _ in 0..<3 { logger.info("m") }
        #expect(sink.lostLines == 3)
        #expect(logger.lostLines == 3)
    }
}
