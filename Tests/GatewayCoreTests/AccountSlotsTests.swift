import Locking
import Testing

@testable import GatewayCore

@Suite struct AccountSlotsTests {
    private final class Order: Sendable {
        let names = Locked<[String]>([])
    }

    private let manual = ManualClock()

    private func acquire(_ slots: AccountSlots, _ client: String) async throws {
        try await slots.acquire(client: client, within: .seconds(300), clock: self.manual.clock)
    }

    @Test func aFreeSlotIsTakenAtOnceAndTheNextCallWaits() async throws {
        let slots = AccountSlots(concurrency: 1, queueLength: 8, queueWait: .seconds(30))
        try await self.acquire(slots, "a")
        let second = Task { try await self.acquire(slots, "a") }
        while slots.waitingCount == 0 { await Task.yield() }
        slots.release()
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
        while slots.waitingCount == 0 { await Task.yield() }
        while slots.waitingCount == 1 {
            self.manual.advance(by: .seconds(30))
            await Task.yield()
        }
        await #expect(throws: AccountSlots.Refusal.timedOut) { try await second.value }
        // The slot was not lost with the waiter.
        slots.release()
        try await self.acquire(slots, "a")
    }

    @Test func aCancelledWaitLeavesTheQueue() async throws {
        let slots = AccountSlots(concurrency: 1, queueLength: 8, queueWait: .seconds(30))
        try await self.acquire(slots, "a")
        let second = Task { try await self.acquire(slots, "a") }
        while slots.waitingCount == 0 { await Task.yield() }
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
                    slots.release()
                }
            )
            while slots.waitingCount <= index { await Task.yield() }
        }
        slots.release()
        for task in tasks { try await task.value }
        #expect(order.names.withLock { $0.firstIndex(of: "small") } == 1)
    }
}
