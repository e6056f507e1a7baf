import Dispatch
import EventLoop
import Locking
import Telemetry
import TestSupport
import Testing

@testable import Daemon

/// What the environment says of a service manager, and what is told to it.
@Suite struct SupervisorTests {
    @Test func notificationsAreTheAssignmentsOfTheManualPage() {
        let texts: [(SupervisorNotification, String)] = [
            (.ready(status: "serving"), "READY=1\nSTATUS=serving"),
            (.reloading, "RELOADING=1\nMONOTONIC_USEC=123456789\nSTATUS=reading the configuration"),
            (.stopping(status: "draining"), "STOPPING=1\nSTATUS=draining"),
            (.watchdog, "WATCHDOG=1"),
            // A line feed would begin an assignment of its own.
            (.ready(status: "a\nMAINPID=1"), "READY=1\nSTATUS=a; MAINPID=1"),
        ]
        for (notification, text) in texts { #expect(notification.text(monotonicMicroseconds: 123_456_789) == text) }
    }

    @Test(arguments: [
        (["WATCHDOG_USEC": "30000000"], Duration?.some(.seconds(30))),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "77"], .some(.seconds(30))),
        (["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "78"], nil),
        (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "soon"], nil), ([:], nil),
    ])
    func theWatchdogIsOursOrNobodys(environment: [String: String], expected: Duration?) {
        #expect(Supervisor(environment: environment, processID: 77).watchdog == expected)
    }

    @Test func socketsAreFoundByTheirNames() {
        var environment = ["LISTEN_PID": "77", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "gateway:operations:gateway"]
        let sockets = Supervisor(environment: environment, processID: 77).sockets
        #expect(sockets["gateway"] == [3, 5] && sockets["operations"] == [4] && sockets["other"] == [])
        #expect(sockets.unused(by: ["fd:gateway", "127.0.0.1:8790"]).map(\.descriptor) == [4])
        #expect(sockets.unused(by: ["fd:3", "fd:4"]).map(\.descriptor) == [5])
        // Meant for the process that started us, or for none.
        environment["LISTEN_PID"] = "78"
        #expect(Supervisor(environment: environment, processID: 77).sockets["gateway"] == [])
        environment["LISTEN_PID"] = nil
        #expect(Supervisor(environment: environment, processID: 77).sockets["gateway"] == [])
    }

    @Test(arguments: ["-1", "", "a", "99999999999999999999"])
    func aCountThatMakesNoSenseGivesNoSocket(count: String) {
        #expect(InheritedSockets(count: count, names: "gateway")["gateway"].isEmpty)
    }

    @Test func fewerNamesThanSocketsLeaveTheRestWithout() {
        let sockets = InheritedSockets(count: "2", names: "gateway")
        #expect(sockets["gateway"] == [3] && sockets[""] == [4])
        #expect(InheritedSockets(count: "1", names: "a:b")["b"].isEmpty)
    }
}

/// The watchdog is fed while all loops turn, and only then.
@Suite struct LoopWatchTests {
    @Test func aStuckLoopStopsTheSignsAndItsEndBringsThemBack() async throws {
        let loops = [try EventLoop(index: 0), try EventLoop(index: 1)]
        defer { for loop in loops { loop.stop() } }
        let signs = Locked(0)
        let watch = LoopWatch(
            loops: loops,
            watchdog: .milliseconds(40),
            patience: .milliseconds(50),
            logger: Logger(level: .error, sink: SilentSink()),
            onTurn: { signs.withLock { $0 += 1 } }
        )
        watch.start()
        await until("signs come") { signs.withLock { $0 } >= 5 }
        // A machine that is held up may make any single answer late, here and below.
        await until("the loops turn") { watch.isTurning }
        // Held until it is let go, however long this test waits for its turn.
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        let isHeld = Locked(false)
        loops[1].execute {
            isHeld.withLock { $0 = true }
            gate.wait()
        }
        await until("the loop is held") { isHeld.withLock { $0 } }
        let before = signs.withLock { $0 }
        await until("the loops do not turn") { !watch.isTurning && watch.lag >= .milliseconds(50) }
        // Ten intervals in which the other loop has turned.
        let end = ContinuousClock.now + .milliseconds(100)
        while ContinuousClock.now < end { await loops[0].perform {} }
        // The loop may have answered one round before it was held, and that alone is still a sign.
        #expect(signs.withLock { $0 } <= before + 1)
        await until("the loops do not turn") { !watch.isTurning }
        gate.signal()
        await until("signs come again") { signs.withLock { $0 } >= before + 6 }
        await until("the loops turn again") { watch.isTurning }
        await watch.stop()
    }

    @Test func onceIsNotLate() {
        #expect(!LoopWatch.isLate(.seconds(9), after: .zero, limit: .seconds(1)))
        #expect(!LoopWatch.isLate(.zero, after: .seconds(9), limit: .seconds(1)))
        #expect(LoopWatch.isLate(.seconds(1), after: .seconds(1), limit: .seconds(1)))
    }

    @Test func aLoopIsLateWhenItIsLateTwice() async throws {
        let loop = try EventLoop(index: 0)
        defer { loop.stop() }
        let signs = Locked(0)
        let watch = LoopWatch(
            loops: [loop],
            watchdog: .milliseconds(40),
            lagLimit: .milliseconds(50),
            logger: Logger(level: .error, sink: SilentSink()),
            onTurn: { signs.withLock { $0 += 1 } }
        )
        watch.start()
        func turn() async throws {
            let before = signs.withLock { $0 }
            await until("two signs come") { signs.withLock { $0 } >= before + 2 }
        }
        /// Holds the loop for twice as long as it may be late.
        func hold() async throws {
            let gate = DispatchSemaphore(value: 0)
            loop.execute { gate.wait() }
            try await Task.sleep(for: .milliseconds(100))
            gate.signal()
        }
        try await turn()
        // A machine that is held up may make two answers late.
        try await until("it is not late") {
            guard watch.isLate else { return true }
            try await turn()
            return false
        }
        try await until("it is late") {
            try await hold()
            return watch.isLate
        }
        // It turns again, and is late no more.
        try await until("it is late no more") {
            try await turn()
            return !watch.isLate
        }
        await watch.stop()
    }

    private struct SilentSink: LogSink {
        func write(_ record: LogRecord) {}
    }
}
