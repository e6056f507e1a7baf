import Foundation
import Telemetry
import Testing

@Suite struct StandardErrorSinkTests {
    @Test func linesOfManyThreadsStayWhole() async throws {
        let pipe = Pipe()
        let reader = Task.detached { try pipe.fileHandleForReading.readToEnd() ?? Data() }
        let sink = StandardErrorSink(format: .json, descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let logger = Logger(level: .info, sink: sink)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for number in 0..<200 {
                        let filling = String(repeating: "x", count: (writer * 200 + number) * 7 % 1_000)
                        logger.info(
                            "line",
                            ["writer": .int(writer), "number": .int(number), "filling": .string(filling)]
                        )
                    }
                }
            }
        }
        try pipe.fileHandleForWriting.close()
        let lines = try await reader.value.split(separator: 0x0A)
        var numbers: [Int: [Int]] = [:]
        for line in lines {
            let object = try #require(JSONSerialization.jsonObject(with: line) as? [String: Any])
            let writer = try #require(object["writer"] as? Int)
            numbers[writer, default: []].append(try #require(object["number"] as? Int))
        }
        #expect(numbers.count == 8)
        #expect(numbers.values.allSatisfy { $0 == Array(0..<200) })
        #expect(sink.lostLines == 0)
    }

    @Test func aFullPipeThatDoesNotBlockLosesLinesAndCountsThem() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        try #require(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0)
        let sink = StandardErrorSink(format: .text, descriptor: descriptor)
        let logger = Logger(level: .info, sink: sink)
        for _ in 0..<1_000 { logger.info("m", ["filling": .string(String(repeating: "x", count: 900))]) }
        let lost = sink.lostLines
        #expect(lost > 0)
        try pipe.fileHandleForWriting.close()
        let lines = try (pipe.fileHandleForReading.readToEnd() ?? Data()).split(separator: 0x0A)
        #expect(UInt64(lines.count) + lost == 1_000)
    }

    @Test func aClosedDescriptorIsSurvived() {
        let sink = StandardErrorSink(descriptor: -1)
        Logger(level: .info, sink: sink).info("m")
        #expect(sink.lostLines == 1)
    }

    @Test func aFullDeviceLosesLinesAndCountsThem() throws {
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let sink = StandardErrorSink(descriptor: descriptor)
        Logger(level: .info, sink: sink).info("m")
        #expect(sink.lostLines == 1)
    }

    // The numbers of syslog(3).
    @Test(arguments: [(.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3)] as [(Logger.Level, Int)])
    func levelsAreMarkedAsTheJournalKnowsThem(level: Logger.Level, number: Int) throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let sink = StandardErrorSink(format: .text, descriptor: descriptor, marksLevels: true)
        Logger(level: .debug, sink: sink) { .zero }.log(level, "m")
        try pipe.fileHandleForWriting.close()
        let line = try String(decoding: pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(line == "<\(number)>1970-01-01T00:00:00.000Z \(level.name) m\n")
    }
}
