import Locking
import Telemetry
import TestSupport
import Testing

/// What a logger leaves out of messages that come again and again.
@Suite struct RepetitionTests {
    private let sink = LineCapture(.text)
    private let time = Locked(Duration.seconds(100))

    private func logger(_ linesPerSecond: Int) -> Logger {
        let time = self.time
        return Logger(level: .debug, sink: self.sink, linesPerSecond: linesPerSecond) { time.withLock { $0 } }
    }

    /// The lines without their times.
    private var lines: [String] { self.sink.lines.map { String($0.dropFirst(25).dropLast()) } }

    @Test func oneMessageIsWrittenSoOftenASecondAndTheRestCounted() {
        let logger = self.logger(2)
        for number in 0..<5 { logger.warning("slow", ["n": .int(number)]) }
        logger.error("broken")
        self.time.withLock { $0 += .milliseconds(999) }
        logger.warning("slow", ["n": 5])
        self.time.withLock { $0 += .milliseconds(1) }
        logger.warning("slow", ["n": 6])
        logger.reportLeftOut()
        logger.reportLeftOut()
        #expect(
            self.lines == [
                "warning slow n=0", "warning slow n=1", "error broken", "warning slow n=6",
                "warning lines of one message were left out log.message=slow log.left_out=4",
            ]
        )
        #expect(logger.leftOutLines == 4)
    }

    @Test func whatTellsOfOneThingIsNeverLeftOut() {
        let logger = self.logger(1)
        for number in 0..<3 {
            logger.info("round ended", ["n": .int(number)])
            logger.notice("erased", ["n": .int(number)])
            logger.log(.info, "request", isRoutine: true, ["n": .int(number)])
            logger.log(.info, "request", ["status": 404])
        }
        #expect(self.lines.filter { $0.hasPrefix("info round ended") }.count == 3)
        #expect(self.lines.filter { $0.hasPrefix("notice erased") }.count == 3)
        #expect(self.lines.filter { $0.hasPrefix("info request n=") } == ["info request n=0"])
        #expect(self.lines.filter { $0 == "info request status=404" }.count == 3)
    }

    @Test func theLimitChangesForAllCopies() {
        let logger = self.logger(1)
        let copy = logger
        logger.setLinesPerSecond(3)
        for _ in 0..<5 { copy.warning("m") }
        #expect(self.lines == ["warning m", "warning m", "warning m"])
    }

    @Test func withoutALimitNothingIsLeftOut() {
        let logger = Logger(sink: self.sink)
        for _ in 0..<5_000 { logger.error("m") }
        #expect(self.sink.lines.count == 5_000 && logger.leftOutLines == 0)
    }

    @Test func whatIsLeftOutIsNotComputed() {
        let logger = self.logger(1)
        let computed = Locked(0)
        func compute() -> LogMetadata {
            computed.withLock { $0 += 1 }
            return [:]
        }
        for _ in 0..<4 { logger.warning("m", compute()) }
        #expect(computed.withLock { $0 } == 1)
    }
}
