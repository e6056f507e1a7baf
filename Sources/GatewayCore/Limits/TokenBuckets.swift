/// Token buckets by name, at most so many.
///
/// What is guaranteed, whatever names come in:
/// - There are never more than ``capacity`` buckets. A full one says no more than none and is forgotten; every new name
///   drops up to two of them, so that they go faster than names come.
/// - When all are in use, a new name takes the place of the bucket that is closest to full. A bucket that owes tokens
///   is therefore only forgiven while `capacity` others need at least as long to fill; to forget a limit of d tokens
///   by a flood of names takes `capacity` × d calls, all of which their client's own limit counts.
/// - Forgetting only ever forgives: no name is refused because of what others did.
///
/// A call of a known name costs one look-up. A new name, and once in a while the order of those that were used since,
/// costs the logarithm of the capacity.
struct TokenBuckets: Sendable {
    private struct Node {
        // Not after the bucket is full: calls move that, and the node learns of it when it comes first.
        var fullAt: ContinuousClock.Instant
        let name: String
    }

    /// The most buckets.
    let capacity: Int
    private var buckets: [String: TokenBucket] = [:]
    // A binary heap, the earliest first.
    private var nodes: [Node] = []

    /// Makes an empty table.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// Buckets in use.
    var count: Int { self.buckets.count }

    /// Takes a token of a name's bucket; one that is not here is full.
    mutating func take(
        from name: String,
        rate: TokenBucket.Rate,
        at now: ContinuousClock.Instant
    )
        -> TokenBucket.Verdict
    {
        if self.buckets[name] == nil {
            self.makeRoom(at: now)
            var bucket = TokenBucket(rate, at: now)
            let verdict = bucket.take(at: now)
            self.buckets[name] = bucket
            self.push(Node(fullAt: bucket.fullAt, name: name))
            return verdict
        }
        return self.buckets[name]?.take(rate: rate, at: now) ?? .allowed
    }

    /// What ``take(from:rate:at:)`` would say.
    func verdict(for name: String, rate: TokenBucket.Rate, at now: ContinuousClock.Instant) -> TokenBucket.Verdict {
        var bucket = self.buckets[name]
        return bucket?.take(rate: rate, at: now) ?? .allowed
    }

    private mutating func makeRoom(at now: ContinuousClock.Instant) {
        var forgotten = 0
        while let first = self.nodes.first, let fullAt = self.buckets[first.name]?.fullAt {
            if fullAt > first.fullAt {
                self.nodes[0].fullAt = fullAt
                self.sinkFirst()
            } else if self.buckets.count >= self.capacity || (fullAt <= now && forgotten < 2) {
                self.buckets[first.name] = nil
                self.popFirst()
                forgotten += 1
            } else {
                return
            }
        }
    }

    private mutating func push(_ node: Node) {
        self.nodes.append(node)
        var child = self.nodes.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard node.fullAt < self.nodes[parent].fullAt else { return }
            self.nodes.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func popFirst() {
        self.nodes.swapAt(0, self.nodes.count - 1)
        self.nodes.removeLast()
        self.sinkFirst()
    }

    private mutating func sinkFirst() {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < self.nodes.count else { return }
            if child + 1 < self.nodes.count, self.nodes[child + 1].fullAt < self.nodes[child].fullAt { child += 1 }
            guard self.nodes[child].fullAt < self.nodes[parent].fullAt else { return }
            self.nodes.swapAt(child, parent)
            parent = child
        }
    }
}

extension TokenBucket {
    /// Takes a token at the rate that holds now.
    fileprivate mutating func take(rate: Rate, at now: ContinuousClock.Instant) -> Verdict {
        if rate != self.rate { self.change(to: rate) }
        return self.take(at: now)
    }
}
