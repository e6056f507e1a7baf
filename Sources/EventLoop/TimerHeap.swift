/// Names one scheduled piece of work; a token of work that ran or was cancelled names nothing.
public struct TimerToken: Hashable, Sendable {
    let slot: Int32
    let generation: UInt32
}

/// A binary heap of deadlines whose entries can be removed by token at logarithmic cost.
struct TimerHeap<Work> {
    typealias Instant = ContinuousClock.Instant

    private struct Node {
        var deadline: Instant
        var slot: Int32
    }

    private struct Slot {
        var work: Work?
        var position: Int32
        var generation: UInt32
    }

    private var nodes: [Node] = []
    private var slots: [Slot] = []
    private var free: [Int32] = []

    var count: Int { self.nodes.count }
    var earliest: Instant? { self.nodes.first?.deadline }

    mutating func insert(_ deadline: Instant, _ work: Work) -> TimerToken {
        let slot: Int32
        if let reused = self.free.popLast() {
            slot = reused
            self.slots[Int(slot)].work = work
        } else {
            slot = Int32(self.slots.count)
            self.slots.append(Slot(work: work, position: 0, generation: 0))
        }
        self.nodes.append(Node(deadline: deadline, slot: slot))
        self.siftUp(self.nodes.count - 1)
        return TimerToken(slot: slot, generation: self.slots[Int(slot)].generation)
    }

    /// Returns the work of the token, or nil when it ran or was cancelled before.
    mutating func remove(_ token: TimerToken) -> Work? {
        let index = Int(token.slot)
        guard index < self.slots.count, self.slots[index].generation == token.generation,
            self.slots[index].work != nil
        else { return nil }
        return self.removeNode(at: Int(self.slots[index].position))
    }

    /// Takes out the work with the earliest deadline, if that has come.
    mutating func popDue(at now: Instant) -> Work? {
        guard let first = self.nodes.first, first.deadline <= now else { return nil }
        return self.removeNode(at: 0)
    }

    mutating func removeAll() {
        self = TimerHeap()
    }

    private mutating func removeNode(at position: Int) -> Work? {
        let slot = Int(self.nodes[position].slot)
        let last = self.nodes.count - 1
        if position != last {
            self.nodes[position] = self.nodes[last]
            self.slots[Int(self.nodes[position].slot)].position = Int32(position)
        }
        self.nodes.removeLast()
        if position < self.nodes.count {
            self.siftDown(position)
            self.siftUp(position)
        }
        let work = self.slots[slot].work
        self.slots[slot].work = nil
        self.slots[slot].generation &+= 1
        self.free.append(Int32(slot))
        return work
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        let node = self.nodes[child]
        while child > 0 {
            let parent = (child - 1) / 2
            guard node.deadline < self.nodes[parent].deadline else { break }
            self.place(self.nodes[parent], at: child)
            child = parent
        }
        self.place(node, at: child)
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        let node = self.nodes[parent]
        while true {
            var child = 2 * parent + 1
            guard child < self.nodes.count else { break }
            if child + 1 < self.nodes.count, self.nodes[child + 1].deadline < self.nodes[child].deadline {
                child += 1
            }
            guard self.nodes[child].deadline < node.deadline else { break }
            self.place(self.nodes[child], at: parent)
            parent = child
        }
        self.place(node, at: parent)
    }

    private mutating func place(_ node: Node, at position: Int) {
        self.nodes[position] = node
        self.slots[Int(node.slot)].position = Int32(position)
    }
}
