import Glibc
import Locking
import Testing

@testable import EventLoop

@Suite struct EventLoopTests {
    /// Lends a loop and stops it.
    private func withLoop(_ body: (EventLoop) async throws -> Void) async throws {
        let loop = try EventLoop(index: 0)
        defer { loop.stop() }
        try await body(loop)
    }

    @Test func currentIsSetOnTheLoopOnly() async throws {
        try await self.withLoop { loop in
            #expect(EventLoop.current == nil)
            #expect(!loop.isCurrent)
            let other = try EventLoop(index: 1)
            defer { other.stop() }
            let seen = await self.value(on: loop) { [EventLoop.current === loop, loop.isCurrent, other.isCurrent] }
            #expect(seen == [true, true, false])
        }
    }

    @Test func executedWorkKeepsItsOrderAndNeverRunsInsideTheCall() async throws {
        try await self.withLoop { loop in
            let log = Log()
            await withCheckedContinuation { done in
                loop.execute {
                    loop.execute {
                        log.append("second")
                        loop.execute { done.resume() }
                    }
                    log.append("first")
                }
            }
            #expect(log.entries == ["first", "second"])
        }
    }

    @Test func tasksStayOnTheLoopAcrossSuspensions() async throws {
        try await self.withLoop { loop in
            let places = Locked<[Bool]>([])
            let note: @Sendable () -> Void = { places.withLock { $0.append(loop.isCurrent) } }
            await loop.run {
                note()
                await Task.yield()
                note()
                await withCheckedContinuation { continuation in
                    loop.execute { continuation.resume() }
                }
                note()
                await withTaskCancellationHandler {
                    await withCheckedContinuation { continuation in
                        // Resumed by a foreign thread: the task has to come home by itself.
                        Task.detached { continuation.resume() }
                    }
                } onCancel: {
                }
                note()
            }.value
            #expect(places.withLock { $0 } == [true, true, true, true])
        }
    }

    @Test func aLongRunQueueGivesOthersTheirTurnAndIsFinished() async throws {
        try await self.withLoop { loop in
            // More yields than one turn runs: if the drain did not reschedule itself, this would hang.
            let task = loop.run {
                for _ in 0..<20_000 {
                    await Task.yield()
                }
            }
            await task.value
        }
    }

    @Test func endOfTurnWorkComesAfterTheRunQueue() async throws {
        try await self.withLoop { loop in
            let log = Log()
            await withCheckedContinuation { done in
                loop.execute {
                    loop.atEndOfTurn {
                        log.append("end")
                        loop.execute { done.resume() }
                    }
                    loop.execute { log.append("queued") }
                    log.append("now")
                }
            }
            #expect(log.entries == ["now", "queued", "end"])
        }
    }

    /// More work than one turn runs, which makes new work each time: what waits for the end is not put off by it.
    @Test func endOfTurnWorkIsNotPutOffByWorkThatMakesWork() async throws {
        try await self.withLoop { loop in
            let counter = Counter(loop)
            let count = await withCheckedContinuation { done in
                loop.execute {
                    loop.atEndOfTurn { done.resume(returning: counter.count) }
                    Self.multiply(on: loop, counter)
                }
            }
            // Without the rule it would come only behind all of them.
            #expect(count < 20_000)
        }
    }

    /// Does 32,767 pieces of work, each of which hands in two others.
    private static func multiply(on loop: EventLoop, _ counter: Counter, depth: Int = 14) {
        counter.increment()
        guard depth > 0 else { return }
        for _ in 0..<2 { loop.execute { self.multiply(on: loop, counter, depth: depth - 1) } }
    }

    @Test func manyThreadsHandWorkInAndNothingIsLost() async throws {
        try await self.withLoop { loop in
            let counter = Counter(loop)
            await withTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask { @concurrent in
                        for _ in 0..<500 {
                            await withCheckedContinuation { continuation in
                                loop.execute {
                                    counter.increment()
                                    continuation.resume()
                                }
                            }
                        }
                    }
                }
            }
            #expect(await self.value(on: loop) { counter.count } == 4000)
        }
    }

    // MARK: - Descriptors

    @Test func aReadableDescriptorIsReportedUntilItIsRead() async throws {
        try await self.withLoop { loop in
            let (ours, theirs) = try socketPair()
            defer { close(theirs) }
            let handler = Recorder(loop)
            try await onLoop(loop) { try loop.register(ours, interest: [.readable], handler: handler) }
            #expect(write(theirs, "abc", 3) == 3)
            let text = try await handler.text(count: 3)
            #expect(text == "abc")
            await onLoop(loop) {
                loop.deregister(ours)
                close(ours)
            }
            #expect(await self.value(on: loop) { loop.descriptorCount } == 0)
        }
    }

    @Test func aHalfCloseAndAFullCloseLookDifferent() async throws {
        try await self.withLoop { loop in
            let (ours, theirs) = try socketPair()
            let handler = Recorder(loop)
            handler.reads = false
            try await onLoop(loop) { try loop.register(ours, interest: [.peerClosed], handler: handler) }
            shutdown(theirs, Int32(SHUT_WR))
            let half = try await handler.nextEvents()
            #expect(half.contains(.peerClosed))
            #expect(!half.contains(.hangup))
            await onLoop(loop) { loop.modify(ours, interest: []) }
            handler.forget()
            close(theirs)
            let full = try await handler.nextEvents()
            #expect(full.contains(.hangup))
            await onLoop(loop) {
                loop.deregister(ours)
                close(ours)
            }
        }
    }

    @Test func anEventOfAClosedDescriptorDoesNotReachTheNextOwnerOfItsNumber() async throws {
        try await self.withLoop { loop in
            let (first, firstPeer) = try socketPair()
            let (second, secondPeer) = try socketPair()
            let (third, thirdPeer) = try socketPair()
            defer { for descriptor in [firstPeer, secondPeer, third, thirdPeer] { close(descriptor) } }
            let newcomer = Recorder(loop)
            // Whichever of the two is told first replaces the other, in the round in which both are ready.
            let replacement = Locked<Int32?>(nil)
            let replace: @Sendable (Int32) -> Void = { told in
                guard replacement.withLock({ $0 }) == nil else { return }
                let other = told == first ? second : first
                loop.deregister(other)
                // Closes `other` and opens its number anew, for a socket that has nothing to report.
                #expect(dup2(third, other) == other)
                #expect(throws: Never.self) {
                    try loop.register(other, interest: [.readable], handler: newcomer)
                }
                replacement.withLock { $0 = other }
                loop.deregister(told)
                close(told)
            }
            let old = Trigger(replace)
            try await onLoop(loop) {
                try loop.register(first, interest: [.readable], handler: old)
                try loop.register(second, interest: [.readable], handler: old)
                // Written on the loop, so both are ready when it next looks.
                #expect(write(firstPeer, "x", 1) == 1)
                #expect(write(secondPeer, "x", 1) == 1)
            }
            let number = try await eventually { replacement.withLock { $0 } }
            #expect(await self.value(on: loop) { newcomer.events.isEmpty })
            #expect(write(thirdPeer, "x", 1) == 1)
            #expect(try await newcomer.text(count: 1) == "x")
            await onLoop(loop) {
                loop.deregister(number)
                close(number)
            }
        }
    }

    @Test func aDescriptorIsWatchedOnceOnly() async throws {
        try await self.withLoop { loop in
            let (ours, theirs) = try socketPair()
            defer { for descriptor in [ours, theirs] { close(descriptor) } }
            let handler = Recorder(loop)
            try await onLoop(loop) { try loop.register(ours, interest: [], handler: handler) }
            let error = await #expect(throws: EventLoopError.self) {
                try await onLoop(loop) { try loop.register(ours, interest: [], handler: handler) }
            }
            #expect(error?.code == .badDescriptor)
        }
    }

    @Test func aRegularFileCannotBeWatched() async throws {
        try await self.withLoop { loop in
            let file = open("/proc/self/exe", O_RDONLY)
            try #require(file >= 0)
            defer { close(file) }
            let error = await #expect(throws: EventLoopError.self) {
                try await onLoop(loop) { try loop.register(file, interest: [.readable], handler: Recorder(loop)) }
            }
            #expect(error?.code == .badDescriptor)
            #expect(error?.errorNumber == EPERM)
        }
    }

    // MARK: - Deadlines

    @Test func deadlinesPassInOrderAndNeverEarly() async throws {
        try await self.withLoop { loop in
            let log = Log()
            let start = ContinuousClock.now
            await withCheckedContinuation { done in
                loop.execute {
                    for (name, delay) in [("c", 30), ("a", 5), ("b", 15)] {
                        let deadline = start + .milliseconds(delay)
                        loop.schedule(at: deadline) {
                            log.append(ContinuousClock.now >= deadline ? name : "early")
                            if name == "c" { done.resume() }
                        }
                    }
                }
            }
            #expect(log.entries == ["a", "b", "c"])
        }
    }

    @Test func cancelledWorkDoesNotRun() async throws {
        try await self.withLoop { loop in
            let log = Log()
            await withCheckedContinuation { done in
                loop.execute {
                    let token = loop.schedule(at: loop.now + .milliseconds(5)) { log.append("cancelled") }
                    loop.schedule(at: loop.now + .milliseconds(10)) {
                        log.append("kept")
                        done.resume()
                    }
                    loop.cancel(token)
                }
            }
            #expect(log.entries == ["kept"])
        }
    }

    /// `@unchecked Sendable`: confined to the loop.
    private final class Owner: @unchecked Sendable {
        var timer = DeadlineTimer()
    }

    @Test func aDeadlineTimerComesByTheEarliestOfItsDeadlines() async throws {
        try await self.withLoop { loop in
            let log = Log()
            let owner = Owner()
            await withCheckedContinuation { done in
                loop.execute {
                    let start = loop.now
                    owner.timer.arm(by: start + .seconds(60), on: loop) { log.append("never") }
                    owner.timer.arm(by: start + .milliseconds(5), on: loop) {
                        owner.timer.noteFired()
                        log.append("first")
                        owner.timer.arm(by: start + .milliseconds(10), on: loop) { log.append("again") }
                    }
                    owner.timer.arm(by: start + .milliseconds(7), on: loop) { log.append("never") }
                    loop.schedule(at: start + .milliseconds(20)) { done.resume() }
                }
            }
            #expect(log.entries == ["first", "again"])
        }
    }

    @Test func aDeadlineTimerThatIsCancelledMayBeArmedForLater() async throws {
        try await self.withLoop { loop in
            let log = Log()
            let owner = Owner()
            await withCheckedContinuation { done in
                loop.execute {
                    let start = loop.now
                    owner.timer.arm(by: start + .milliseconds(5), on: loop) { log.append("cancelled") }
                    owner.timer.cancel(on: loop)
                    owner.timer.arm(by: start + .milliseconds(10), on: loop) {
                        log.append("later")
                        done.resume()
                    }
                }
            }
            #expect(log.entries == ["later"])
        }
    }

    // MARK: - The end

    @Test func aStoppedLoopIsFreedAndItsTasksStillEnd() async throws {
        var loop: EventLoop? = try EventLoop(index: 7)
        weak let watched = loop
        let task = loop?.run {
            for _ in 0..<100 {
                await Task.yield()
            }
        }
        loop?.stop()
        loop?.stop()
        loop = nil
        await task?.value
        let end = ContinuousClock.now + .seconds(10)
        while watched != nil, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(watched == nil)
    }

    @Test func aStoppedLoopRefusesDescriptors() async throws {
        let loop = try EventLoop(index: 0)
        let (ours, theirs) = try socketPair()
        defer { for descriptor in [ours, theirs] { close(descriptor) } }
        loop.stop()
        let error = await #expect(throws: EventLoopError.self) {
            try await onLoop(loop) { try loop.register(ours, interest: [], handler: Recorder(loop)) }
        }
        #expect(error?.code == .stopped)
    }

    private func value<Value: Sendable>(on loop: EventLoop, _ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            loop.execute { continuation.resume(returning: body()) }
        }
    }
}
