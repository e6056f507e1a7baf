import Cryptography

/// Evaluations that can be asked for by record id, and renderings that the next equal request can share.
struct RecordShelf: Sendable {
    /// An evaluation with its owner.
    struct Record: Sendable {
        var tenant: String
        var rendered: RenderedEvaluation
    }

    private static let sharedCapacity = 64

    private let budget: Int
    private var records: [String: Record] = [:]
    private var order: [(recordID: String, weight: Int)] = []
    private var oldest = 0
    private var weight = 0
    private var shared: [Digest256: RenderedEvaluation] = [:]

    /// An empty shelf for so many bytes.
    init(budget: Int) {
        self.budget = budget
    }

    /// The evaluation with this id, if it is this tenant's.
    func record(_ recordID: String, tenant: String) -> RenderedEvaluation? {
        self.records[recordID].flatMap { $0.tenant == tenant ? $0.rendered : nil }
    }

    /// A rendering of the same request, which is the same by construction.
    func rendering(of fingerprint: Digest256) -> RenderedEvaluation? {
        self.shared[fingerprint]
    }

    /// Keeps a rendering for the next equal request.
    mutating func share(_ rendered: RenderedEvaluation, fingerprint: Digest256) {
        if self.shared.count >= Self.sharedCapacity {
            self.shared.removeAll(keepingCapacity: true)
        }
        self.shared[fingerprint] = rendered
    }

    /// Keeps an evaluation, and pushes out the oldest ones when there are too many bytes.
    mutating func add(_ record: Record, recordID: String, weight: Int) {
        // An entry takes some room even when it shares its texts.
        let weight = weight + 256
        self.records[recordID] = record
        self.order.append((recordID, weight))
        self.weight += weight
        while self.weight > self.budget, self.oldest < self.order.count - 1 {
            let candidate = self.order[self.oldest]
            self.records[candidate.recordID] = nil
            self.weight -= candidate.weight
            self.oldest += 1
        }
        if self.oldest > 1_024, self.oldest * 2 > self.order.count {
            self.order.removeFirst(self.oldest)
            self.oldest = 0
        }
    }
}
