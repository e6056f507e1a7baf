import Foundation
import Telemetry
import TestSupport
import Testing

@Suite struct JournalSinkTests {
    private static let data: LogMetadata = [
        "request.id": "r-1", "http.status": 502, "duration_ms": 1.5, "replayed": true,
        "token": .redacted("token"), "url": .url("https://h/p?key=secret"),
    ]

    @Test(arguments: [
        (LogFormat.text, "upstream \"failed\" request.id=r-1 http.status=502"),
        (.json, #"{"time":"1970-01-01T00:00:00.000Z","level":"warning","message":"upstream \"failed\"","request.id""#),
    ])
    func anEntryHasTheLineAndItsDataAsFields(format: LogFormat, beginning: String) async throws {
        let journal = try JournalSocket()
        let sink = JournalSink(identifier: "speechgate", format: format, path: journal.path)
        Logger(sink: sink) { .zero }.warning("upstream \"failed\"", Self.data)
        let entry = try #require(await journal.next())
        #expect(entry["MESSAGE"]?.hasPrefix(beginning) == true, "\(entry)")
        #expect(entry["PRIORITY"] == "4" && entry["SYSLOG_IDENTIFIER"] == "speechgate")
        #expect(entry["REQUEST_ID"] == "r-1" && entry["HTTP_STATUS"] == "502")
        #expect(entry["DURATION_MS"] == "1.5" && entry["REPLAYED"] == "true")
        #expect(entry["TOKEN"] == "<redacted token>" && entry["URL"] == "https://h/p?key=***")
        #expect(entry.count == 9, "\(entry)")
        #expect(sink.lostLines == 0)
    }

    @Test func noValueBeginsAnotherField() async throws {
        let journal = try JournalSocket()
        let sink = JournalSink(identifier: "speechgate", format: .text, path: journal.path)
        let forged = "a\nPRIORITY=0\nMESSAGE=all is well\n"
        Logger(sink: sink).info("m", ["user": .string(forged)])
        let entry = try #require(await journal.next())
        #expect(entry["USER"] == forged)
        #expect(entry["PRIORITY"] == "6" && entry["MESSAGE"]?.hasPrefix("m user=") == true)
        #expect(entry["MESSAGE"]?.contains("\n") == false)
    }

    @Test func longTextsAreCut() async throws {
        let journal = try JournalSocket()
        let sink = JournalSink(identifier: "speechgate", path: journal.path)
        Logger(sink: sink).info("m", ["text": .string(String(repeating: "é", count: 9_000))])
        let entry = try #require(await journal.next())
        #expect(entry["TEXT"] == String(repeating: "é", count: 512))
    }

    @Test func withoutAJournalLinesGoToStandardErrorWithTheirLevel() throws {
        let pipe = Pipe()
        let sink = JournalSink(
            identifier: "speechgate",
            format: .text,
            path: "/nonexistent/socket",
            descriptor: pipe.fileHandleForWriting.fileDescriptor
        )
        Logger(sink: sink) { .zero }.error("m", ["a": 1])
        try pipe.fileHandleForWriting.close()
        let line = try String(decoding: pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(line == "<3>1970-01-01T00:00:00.000Z error m a=1\n")
        #expect(sink.lostLines == 0)
    }

    @Test func aJournalThatTakesNothingIsNotWaitedFor() throws {
        let journal = try JournalSocket()
        let sink = JournalSink(identifier: "speechgate", path: journal.path)
        let logger = Logger(sink: sink)
        // Far more than the kernel holds for a reader that does not read.
        for _ in 0..<2_000 { logger.info("m") }
        #expect(sink.lostLines > 0)
        withExtendedLifetime(journal) {}
    }

    @Test func theJournalIsToldByDeviceAndInode() throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        let variable = "\(status.st_dev):\(status.st_ino)"
        #expect(JournalSink.isJournal(variable, descriptor: descriptor))
        // What a program inherits whose output was turned elsewhere.
        #expect(!JournalSink.isJournal("\(status.st_dev):\(status.st_ino + 1)", descriptor: descriptor))
        #expect(!JournalSink.isJournal(nil, descriptor: descriptor))
        #expect(!JournalSink.isJournal("", descriptor: -1))
    }
}
