import Foundation
import Synchronization
import Telemetry
import Testing

@Suite struct LoggerTests {
    @Test func aLineOfJSON() {
        let capture = LineCapture()
        Logger.fixed(capture).warning(
            "retrying",
            ["request.id": "r-1", "attempt": 2, "duration_ms": .milliseconds(.microseconds(231_500)), "final": false]
        )
        #expect(
            capture.lines == [
                #"{"time":"2026-10-08T09:30:00.125Z","level":"warning","message":"retrying","request.id":"r-1","#
                    + "\"attempt\":2,\"duration_ms\":231.5,\"final\":false}\n"
            ]
        )
    }

    @Test func aLineOfText() {
        let capture = LineCapture(.text)
        Logger.fixed(capture).error(
            "store failed",
            [
                "path": "/var/lib", "why": "disk full", "empty": "", "pair": "a=b", "quoted": "\"x\"",
                "code": .int(UInt8(13)),
            ]
        )
        #expect(
            capture.lines == [
                #"2026-10-08T09:30:00.125Z error store failed path=/var/lib why="disk full" empty="" pair="a=b""#
                    + " quoted=\"\\\"x\\\"\" code=13\n"
            ]
        )
    }

    @Test func aLevelThatChangesHoldsForAllCopies() {
        let capture = LineCapture()
        let logger = Logger.fixed(capture, level: .warning)
        let copy = logger
        copy.info("before")
        logger.setLevel(.info)
        copy.info("after")
        #expect(capture.lines.count == 1 && capture.lines[0].contains("after"))
    }

    @Test(arguments: Logger.Level.allCases)
    func levelsBelowTheThresholdAreNeitherWrittenNorComputed(threshold: Logger.Level) {
        let capture = LineCapture()
        let logger = Logger.fixed(capture, level: threshold)
        for level in Logger.Level.allCases {
            let before = capture.lines.count
            var isComputed = false
            func metadata() -> LogMetadata {
                isComputed = true
                return [:]
            }
            logger.log(level, "message", metadata())
            #expect(isComputed == (level >= threshold))
            #expect(capture.lines.count - before == (level >= threshold ? 1 : 0))
        }
    }

    @Test func namesOfLevels() {
        #expect(Logger.Level.allCases.map(\.name) == ["debug", "info", "notice", "warning", "error"])
        #expect(Logger.Level(name: "notice") == .notice)
        #expect(Logger.Level(name: "Notice") == nil)
        #expect(Logger.Level(name: "") == nil)
        #expect(Logger.Level.allCases == Logger.Level.allCases.sorted())
    }

    @Test func eachMethodWritesItsLevel() {
        let capture = LineCapture(.text)
        let logger = Logger.fixed(capture)
        logger.debug("m")
        logger.info("m")
        logger.notice("m")
        logger.warning("m")
        logger.error("m")
        #expect(capture.lines.map { $0.split(separator: " ")[1] } == ["debug", "info", "notice", "warning", "error"])
    }

    @Test func theLastValueOfAKeyCounts() throws {
        let capture = LineCapture()
        Logger.fixed(capture).info("m", ["loop": 1, "connection.id": 8, "connection.id": 9, "x": true])
        let line = try #require(capture.lines.first)
        #expect(line.hasSuffix("\"message\":\"m\",\"loop\":1,\"connection.id\":9,\"x\":true}\n"))
    }

    @Test func metadataIsAListWithUniqueKeys() {
        var metadata: LogMetadata = ["a": 1]
        metadata["b"] = "two"
        metadata["a"] = nil
        metadata["c"] = nil
        let capture = LineCapture(.text)
        Logger.fixed(capture).info("m", metadata)
        #expect(capture.lines.first?.hasSuffix(" m b=two\n") == true)
    }

    // MARK: Forged lines

    static let hostile = [
        "x\n{\"time\":\"2026\",\"level\":\"error\",\"message\":\"forged\"}", "a\r\nb", "\r", "\u{B}\u{C}",
        "\u{1B}[2J\u{1B}]0;t\u{7}",
        "\u{85}", "\u{9B}31m", "\u{2028}x\u{2029}", "\u{202E}txt.exe\u{2066}", "\0", "\u{7F}", "a\" b=\"c", "\\\"",
        "\\n",
        "今天\n天气", "tab\there", "\u{E2}\u{80}", "é\u{301}",
    ]

    @Test(arguments: hostile, LogFormat.allCases)
    func noTextEndsItsLineOrSteersATerminal(text: String, format: LogFormat) throws {
        let capture = LineCapture(format)
        Logger.fixed(capture).info("message", ["request.target": .string(text), "after": 1])
        let line = try #require(capture.lines.first)
        let scalars = line.unicodeScalars.dropLast()
        #expect(line.unicodeScalars.last == "\n")
        let controls: [ClosedRange<UInt32>] = [0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069]
        #expect(!scalars.contains { scalar in controls.contains { $0.contains(scalar.value) } })
        guard format == .json else {
            // The next pair is still where a reader looks for it.
            #expect(line.hasSuffix(" after=1\n"))
            return
        }
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect((object["request.target"] as? String)?.utf8.elementsEqual(text.utf8) == true)
        #expect(object["message"] as? String == "message")
        #expect(object.count == 5)
    }

    // MARK: Redaction

    @Test(
        arguments: [
            (LogValue.redacted("signature"), "<redacted signature>"), (.appKey("yg_test_0123456789"), "yg_t***"),
            (.appKey("abcd"), "***"), (.appKey(""), "***"), (.appKey("abcde"), "abcd***"),
            (.url("wss://h/api?appKey=k&signature=AbC%3D&token=t"), "wss://h/api?appKey=***&signature=***&token=***"),
            (.url("/v1/records/eval_1"), "/v1/records/eval_1"), (.url("/x?"), "/x?"), (.url("/x?secret"), "/x?***"),
            (.url("/x?a=b=c&&d=#f?g=h"), "/x?a=***&&d=***"),
            (.url("https://user:pass@host/p?q=1"), "https://***@host/p?q=***"),
            (.url("https://host/a@b"), "https://host/a@b"), (.url("https://u:p@w@host"), "https://***@host"),
            (.url("/p#token=1"), "/p"),
        ] as [(LogValue, String)]
    )
    func secretsAreNamedAndNotShown(value: LogValue, expected: String) throws {
        let capture = LineCapture()
        Logger.fixed(capture).info("m", ["value": value])
        let line = try #require(capture.lines.first)
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["value"] as? String == expected)
    }

    // MARK: Bounds

    @Test(arguments: LogFormat.allCases)
    func longTextIsCutBetweenCharacters(format: LogFormat) throws {
        // Three bytes a character: the cut would fall on each of them.
        for beginning in ["", "a", "aa"] {
            let text = beginning + String(repeating: "天", count: 50_000)
            let capture = LineCapture(format)
            Logger.fixed(capture).info("m", ["text": .string(text), "after": 1])
            let line = try #require(capture.lines.first)
            #expect(line.utf8.count < 1_024 + 200)
            #expect(line.contains("…"))
            #expect(!line.contains("\u{FFFD}"))
            #expect(line.contains("after"))
        }
    }

    @Test(arguments: LogFormat.allCases)
    func aLineNeverExceedsWhatAPipeTakesAtOnce(format: LogFormat) throws {
        let capture = LineCapture(format)
        // Each of these bytes becomes six.
        let text = LogValue.string(String(repeating: "\u{1}", count: 1_000))
        Logger.fixed(capture).info("m", ["first": 1, "a": text, "b": text, "c": text, "last": 2])
        let line = try #require(capture.lines.first)
        #expect(line.utf8.count <= 4_096)
        #expect(line.contains("last"), "what fits is still there")
        #expect(line.contains("truncated"))
        if format == .json {
            let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["truncated"] as? Bool == true)
        }
    }

    @Test func numbersThatJSONLacksAreNull() throws {
        let capture = LineCapture()
        Logger.fixed(capture).info("m", ["a": .double(.nan), "b": .double(-.infinity), "c": 1e300])
        let line = try #require(capture.lines.first)
        #expect(line.hasSuffix("\"a\":null,\"b\":null,\"c\":1e+300}\n"))
    }

    // MARK: Time

    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
        (1_735_689_599_000, "2024-12-31T23:59:59.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (-1_000, "1969-12-31T23:59:59.000Z"),
    ])
    func timesAreUTC(milliseconds: Int, expected: String) {
        let record = LogRecord(time: .milliseconds(milliseconds), level: .info, message: "m", metadata: [:])
        #expect(String(decoding: record.line(.text), as: UTF8.self) == "\(expected) info m\n")
    }

    @Test func foundationAgreesOnDates() throws {
        for day in stride(from: 0, through: 60_000, by: 811) {
            let seconds = day * 86_400 + 12_345
            let record = LogRecord(time: .seconds(seconds), level: .info, message: "m", metadata: [:])
            let expected = Date(timeIntervalSince1970: Double(seconds)).formatted(
                Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            )
            #expect(String(decoding: record.line(.text), as: UTF8.self).hasPrefix("\(expected) "))
        }
    }

    @Test func theDefaultClockIsTheSystems() throws {
        let difference = LogClock.now() - .seconds(Date().timeIntervalSince1970)
        #expect(abs(difference / .seconds(1)) < 60)
    }
}
