import TestSupport
import Testing

@testable import GatewayCore

@Suite struct FairQueueTests {
    private typealias Queue = FairQueue<String>

    private static let start = ContinuousClock.now
    private static let later = Self.start + .seconds(30)

    private static func enqueue(_ queue: inout Queue, _ waiters: [String], weights: [String: Int] = [:]) throws {
        for waiter in waiters {
            // The first letter is the client.
            let client = String(waiter.prefix(1))
            _ = try queue.enqueue(waiter, client: client, weight: weights[client] ?? 1, deadline: Self.later)
        }
    }

    private static func drain(_ queue: inout Queue) -> [String] {
        var order: [String] = []
        while let next = queue.dequeue(at: Self.start).next { order.append(next) }
        return order
    }

    @Test(
        arguments: [
            ("a1 a2 a3", "a1 a2 a3", [:]),
            ("a1 a2 a3 a4 b1", "a1 b1 a2 a3 a4", [:]),
            ("a1 a2 b1 b2 c1", "a1 b1 c1 a2 b2", [:]),
            ("a1 a2 a3 a4 a5 b1 b2 b3", "a1 a2 b1 a3 a4 b2 a5 b3", ["a": 2]),
            ("b1 b2 a1 a2 a3 a4", "b1 a1 a2 a3 b2 a4", ["a": 3]),
        ] as [(String, String, [String: Int])]
    )
    func turns(arrivals: String, order: String, weights: [String: Int]) throws {
        var queue = Queue(capacity: 64)
        try Self.enqueue(&queue, arrivals.split(separator: " ").map(String.init), weights: weights)
        #expect(Self.drain(&queue).joined(separator: " ") == order)
        #expect(queue.count == 0)
    }

    @Test func whoComesIsServedBeforeAnyoneHasASecondTurn() throws {
        var queue = Queue(capacity: 64)
        try Self.enqueue(&queue, ["a1", "a2", "a3", "b1", "b2"])
        #expect(queue.dequeue(at: Self.start).next == "a1")
        try Self.enqueue(&queue, ["c1"])
        #expect(Self.drain(&queue) == ["b1", "a2", "c1", "b2", "a3"])
    }

    @Test(
        arguments: [
            // Capacity, weight, how many one client alone may have waiting.
            (256, 1, 128), (256, 3, 192), (256, 1000, 255), (7, 1, 4), (2, 1, 1), (2, 1000, 1), (1, 1, 1), (0, 1, 0),
        ]
    )
    func share(capacity: Int, weight: Int, alone: Int) {
        var queue = Queue(capacity: capacity)
        func enqueue(_ client: String) -> Queue.Refusal? {
            do {
                _ = try queue.enqueue(client, client: client, weight: weight, deadline: Self.later)
                return nil
            } catch {
                return error
            }
        }
        var count = 0
        while enqueue("a") == nil { count += 1 }
        #expect(count == alone)
        #expect(enqueue("a") == (alone == capacity ? .full : .share))
        // Room for others is left until all is full.
        for index in count..<capacity { #expect(enqueue("other\(index)") == nil) }
        #expect(enqueue("last") == .full)
    }

    @Test func aFloodOfManyClientsLeavesEachItsShare() throws {
        var queue = Queue(capacity: 256)
        var waiting: [String: Int] = [:]
        for _ in 0..<256 {
            for client in ["a", "b", "c"] {
                guard (try? queue.enqueue(client, client: client, deadline: Self.later)) != nil else { continue }
                waiting[client, default: 0] += 1
            }
        }
        #expect(waiting == ["a": 64, "b": 64, "c": 64])
    }

    @Test func whoseTimeIsOverIsPassedOverAndCostsNoTurn() throws {
        var queue = Queue(capacity: 64)
        _ = try queue.enqueue("a1", client: "a", deadline: Self.start + .seconds(1))
        try Self.enqueue(&queue, ["a2", "b1", "a3"])
        _ = try queue.enqueue("b2", client: "b", deadline: Self.start + .seconds(2))
        #expect(queue.nextDeadline == Self.start + .seconds(1))
        let turn = queue.dequeue(at: Self.start + .seconds(1))
        #expect(turn.next == "a2")
        #expect(turn.expired == ["a1"])
        #expect(queue.removeExpired(at: Self.start + .seconds(3)) == ["b2"])
        #expect(Self.drain(&queue) == ["b1", "a3"])
        #expect(queue.nextDeadline == nil)
    }

    @Test func aTicketIsGoodOnce() throws {
        var queue = Queue(capacity: 64)
        let first = try queue.enqueue("a1", client: "a", deadline: Self.later)
        let second = try queue.enqueue("a2", client: "a", deadline: Self.later)
        #expect(queue.dequeue(at: Self.start).next == "a1")
        #expect(queue.remove(first) == nil)
        #expect(queue.remove(second) == "a2")
        #expect(queue.remove(second) == nil)
        #expect(queue.dequeue(at: Self.start).next == nil)
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func randomSchedulesAgreeWithPlainArrays(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let capacity = Int.random(in: 1...40, using: &generator)
        var queue = FairQueue<Int>(capacity: capacity)
        var model = ArrayQueue(capacity: capacity)
        var tickets: [(FairQueue<Int>.Ticket, Int)] = []
        var now = Self.start
        for id in 0..<2000 {
            now += .milliseconds(Int.random(in: 0...500, using: &generator))
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<11:
                let client = "c\(Int.random(in: 0..<6, using: &generator))"
                let weight = client == "c0" ? 3 : client == "c1" ? Int.random(in: 1...4, using: &generator) : 1
                let deadline = now + .milliseconds(Int.random(in: 0...20_000, using: &generator))
                let expected = model.enqueue(id, client: client, weight: weight, deadline: deadline)
                do {
                    let ticket = try queue.enqueue(id, client: client, weight: weight, deadline: deadline)
                    tickets.append((ticket, id))
                    #expect(expected == nil)
                } catch {
                    #expect(error == expected)
                }
            case 11..<16:
                let turn = queue.dequeue(at: now)
                let expected = model.dequeue(at: now)
                #expect(turn.next == expected.next)
                #expect(turn.expired == expected.expired)
            case 16..<19:
                // Also tickets of those who are gone.
                guard let (ticket, id) = tickets.randomElement(using: &generator) else { continue }
                #expect(queue.remove(ticket) == (model.remove(id) ? id : nil))
            default:
                #expect(queue.removeExpired(at: now) == model.removeExpired(at: now))
            }
            #expect(queue.count == model.count)
            #expect(queue.nextDeadline == model.waiters.map(\.deadline).min())
        }
    }
}

/// The obvious queue: the client whose turn it is stands first.
private struct ArrayQueue {
    struct Client {
        let name: String
        var weight: Int
        var credit: Int
        var waiters: [(id: Int, deadline: ContinuousClock.Instant)]
    }

    let capacity: Int
    var clients: [Client] = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    var waiters: [(id: Int, deadline: ContinuousClock.Instant)] { self.clients.flatMap(\.waiters) }
    var count: Int { self.waiters.count }

    mutating func enqueue(
        _ id: Int,
        client: String,
        weight: Int,
        deadline: ContinuousClock.Instant
    ) -> FairQueue<Int>.Refusal? {
        let free = self.capacity - self.count
        guard free > 0 else { return .full }
        let index = self.clients.firstIndex { $0.name == client }
        let waiting = index.map { self.clients[$0].waiters.count } ?? 0
        guard waiting <= weight * (free - 1) else { return .share }
        if let index {
            self.clients[index].waiters.append((id, deadline))
            self.clients[index].weight = weight
            self.clients[index].credit = min(self.clients[index].credit, weight)
        } else {
            self.clients.append(Client(name: client, weight: weight, credit: weight, waiters: [(id, deadline)]))
        }
        return nil
    }

    mutating func dequeue(at now: ContinuousClock.Instant) -> (next: Int?, expired: [Int]) {
        var expired: [Int] = []
        while let first = self.clients.first?.waiters.first {
            guard now < first.deadline else {
                expired.append(first.id)
                _ = self.remove(first.id)
                continue
            }
            self.clients[0].credit -= 1
            if self.clients[0].credit == 0 {
                var client = self.clients.removeFirst()
                client.credit = client.weight
                self.clients.append(client)
            }
            _ = self.remove(first.id)
            return (first.id, expired)
        }
        return (nil, expired)
    }

    mutating func remove(_ id: Int) -> Bool {
        for client in self.clients.indices {
            guard let index = self.clients[client].waiters.firstIndex(where: { $0.id == id }) else { continue }
            self.clients[client].waiters.remove(at: index)
            if self.clients[client].waiters.isEmpty { self.clients.remove(at: client) }
            return true
        }
        return false
    }

    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Int] {
        let ids = self.waiters.filter { $0.deadline <= now }.map(\.id).sorted()
        for id in ids { _ = self.remove(id) }
        return ids
    }
}

@Suite struct FairSlotsTests {
    private let start = ContinuousClock.now
    private var later: ContinuousClock.Instant { self.start + .seconds(30) }

    @Test func slotsAreTakenAtOnceWhileThereAreAnyAndHandedOnAfterwards() throws {
        var slots = FairSlots<String>(count: 2, queueLength: 8)
        #expect(try slots.acquire("a1", client: "a", deadline: self.later) == nil)
        #expect(try slots.acquire("a2", client: "a", deadline: self.later) == nil)
        let third = try slots.acquire("a3", client: "a", deadline: self.later)
        #expect(third != nil && slots.waitingCount == 1)
        #expect(slots.release(at: self.start).next == "a3")
        #expect(slots.free == 0)
        // It has a slot: leaving the queue is too late.
        #expect(third.flatMap { slots.leave($0) } == nil)
        #expect(slots.release(at: self.start).next == nil)
        #expect(slots.release(at: self.start).next == nil)
        #expect(slots.free == 2)
    }

    @Test func noSlotGoesToAWaiterWhoseTimeIsOver() throws {
        var slots = FairSlots<String>(count: 1, queueLength: 8)
        _ = try slots.acquire("a1", client: "a", deadline: self.later)
        _ = try slots.acquire("a2", client: "a", deadline: self.later)
        #expect(slots.nextDeadline == self.later)
        let turn = slots.release(at: self.later)
        #expect(turn.next == nil && turn.expired == ["a2"])
        #expect(slots.free == 1)
    }

    @Test func whoLeavesOrComesTooLateTakesNoSlotAway() throws {
        var slots = FairSlots<String>(count: 1, queueLength: 3)
        _ = try slots.acquire("a1", client: "a", deadline: self.later)
        let second = try slots.acquire("a2", client: "a", deadline: self.start + .seconds(1))
        let third = try slots.acquire("a3", client: "a", deadline: self.later)
        #expect(throws: FairQueue<String>.Refusal.share) {
            try slots.acquire("a4", client: "a", deadline: self.later)
        }
        #expect(third.flatMap { slots.leave($0) } == "a3")
        #expect(slots.removeExpired(at: self.start + .seconds(1)) == ["a2"])
        #expect(second.flatMap { slots.leave($0) } == nil)
        #expect(slots.release(at: self.start).next == nil)
        #expect(slots.free == 1)
    }
}
