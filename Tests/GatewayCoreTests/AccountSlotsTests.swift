import Locking
import TestSupport
import Testing

@testable import GatewayCore

@Suite struct AccountSlotsTests {
    private final class Order: Sendable {
        let names = Locked<[String]>([])
    }

    private let manual = ManualClock()

    private func acquire(_ slots: AccountSlots, _ client: String, weight: Int = 1) async throws {
        try await slots.acquire(client: client, weight: weight, within: .seconds(300), clock: self.manual.clock)
    }

    @Test func aFreeSlotIsTakenAtOnceAndTheNextCallWaits() async throws {
        let slots = AccountSlots(concurrency: 1, queueLength: 8, queueWait: .seconds(30))
        try await self.acquire(slots, "a")
        let second = Task { try await self.acquire(slots, "a") }
        await until { slots.waitingCount > 0 }
        slots.release(at: self.manual.clock.now())
        try await second.value
    }

    @Test func aFullQueueRefuses() async throws {
        let slots = AccountSlots(concurrency: 1, queueLength: 0, queueWait: .seconds(30))
        try await self.acquire(slots, "a")
        await #expect(throws: AccountSlots.Refusal.queueFull) { try await self.acquire(slots, "a") }
    }

    @Test func aWaitEndsAfterItsTimeAndLeavesTheQueue() async throws {
        let slots = AccountSlots(concurrency: 1, queueLength: 8, queueWait: .seconds(30))
        try await self.acquire(slots, "a")
        let second = Task { try await self.acquire(slots, "a") }
        await until { slots.waitingCount > 0 }
        await until {
            guard slots.waitingCount == 1 else { return true }
            self.manual.advance(by: .seconds(30))
            return false
        }
        await #expect(throws: AccountSlots.Refusal.timedOut) { try await second.value }
        // The slot was not lost with the waiter.
        slots.release(at: self.manual.clock.now())
        try await self.acquire(slots, "a")
    }

    @Test func aCancelledWaitLeavesTheQueue() async throws {
        let slots = AccountSlots(concurrency: 1, queueLength: 8, queueWait: .seconds(30))
        try await self.acquire(slots, "a")
        let second = Task { try await self.acquire(slots, "a") }
        await until { slots.waitingCount > 0 }
        second.cancel()
        await #expect(throws: AccountSlots.Refusal.cancelled) { try await second.value }
        #expect(slots.waitingCount == 0)
    }

    @Test func clientsTakeTurnsHoweverManyCallsOneOfThemQueues() async throws {
        let slots = AccountSlots(concurrency: 1, queueLength: 16, queueWait: .seconds(30))
        try await self.acquire(slots, "x")
        let order = Order()
        var tasks: [Task<Void, any Error>] = []
        for (index, client) in ["big", "big", "big", "big", "small"].enumerated() {
            tasks.append(
                Task {
                    try await self.acquire(slots, client)
                    order.names.withLock { $0.append(client) }
                    slots.release(at: self.manual.clock.now())
                }
            )
            await until { slots.waitingCount > index }
        }
        slots.release(at: self.manual.clock.now())
        for task in tasks { try await task.value }
        #expect(order.names.withLock { $0.firstIndex(of: "small") } == 1)
    }

    @Test func aClientOfWeightTwoIsServedTwiceInARound() async throws {
        let slots = AccountSlots(concurrency: 1, queueLength: 64, queueWait: .seconds(30))
        try await self.acquire(slots, "x")
        let order = Order()
        var tasks: [Task<Void, any Error>] = []
        for (index, client) in ["a", "a", "a", "a", "b", "b"].enumerated() {
            tasks.append(
                Task {
                    try await self.acquire(slots, client, weight: client == "a" ? 2 : 1)
                    order.names.withLock { $0.append(client) }
                    slots.release(at: self.manual.clock.now())
                }
            )
            await until { slots.waitingCount > index }
        }
        slots.release(at: self.manual.clock.now())
        for task in tasks { try await task.value }
        #expect(order.names.withLock { $0 } == ["a", "a", "b", "a", "a", "b"])
    }

    @Test func oneClientAloneMayFillHalfOfTheQueue() async throws {
        let slots = AccountSlots(concurrency: 1, queueLength: 8, queueWait: .seconds(30))
        try await self.acquire(slots, "x")
        let waiting = (0..<4).map { _ in Task { try await self.acquire(slots, "big") } }
        await until { slots.waitingCount >= 4 }
        await #expect(throws: AccountSlots.Refusal.queueFull) { try await self.acquire(slots, "big") }
        let small = Task { try await self.acquire(slots, "small") }
        await until { slots.waitingCount >= 5 }
        for task in waiting + [small] { task.cancel() }
        for task in waiting + [small] { _ = await task.result }
        #expect(slots.waitingCount == 0)
    }

    @Test func moreSlotsServeThoseWhoWaitAndFewerHoldForTheNextCalls() async throws {
        let slots = AccountSlots(concurrency: 1, queueLength: 8, queueWait: .seconds(30))
        let now = self.manual.clock.now()
        try await self.acquire(slots, "a")
        let second = Task { try await self.acquire(slots, "a") }
        await until { slots.waitingCount > 0 }
        slots.change(concurrency: 2, queueLength: 0, queueWait: .seconds(30), at: now)
        try await second.value
        slots.change(concurrency: 1, queueLength: 0, queueWait: .seconds(30), at: now)
        slots.release(at: now)
        await #expect(throws: AccountSlots.Refusal.queueFull) { try await self.acquire(slots, "a") }
        slots.release(at: now)
        try await self.acquire(slots, "a")
    }
}
