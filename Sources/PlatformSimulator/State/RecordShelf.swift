import Cryptography

/// Evaluations that can be asked for by record id, and those whose texts the next equal request can share.
struct RecordShelf: Sendable {
    /// An evaluation with its owner.
    struct Record: Sendable {
        /// The key of the account.
        var account: String
        var recipe: EvaluationRecipe
    }

    /// An evaluation with its texts.
    struct Shared: Sendable {
        var recipe: EvaluationRecipe
        var rendered: RenderedEvaluation
    }

    private static let sharedCapacity = 64

    private let budget: Int
    private var records: [String: Record] = [:]
    private var order = AgeQueue<(recordID: String, weight: Int)>()
    private var weight = 0
    private var shared: [Digest256: Shared] = [:]

    /// An empty shelf for so many bytes.
    init(budget: Int) {
        self.budget = budget
    }

    /// The evaluation with this id, if it is this account's.
    func record(_ recordID: String, account: String) -> EvaluationRecipe? {
        self.records[recordID].flatMap { $0.account == account ? $0.recipe : nil }
    }

    /// The evaluation of an equal request, which is the same by construction.
    func shared(_ fingerprint: Digest256) -> Shared? {
        self.shared[fingerprint]
    }

    /// Keeps an evaluation with its texts for the next equal request.
    mutating func share(_ recipe: EvaluationRecipe, _ rendered: RenderedEvaluation) {
        if self.shared.count >= Self.sharedCapacity {
            self.shared.removeAll(keepingCapacity: true)
        }
        self.shared[recipe.fingerprint] = Shared(recipe: recipe, rendered: rendered)
    }

    /// Keeps an evaluation, and pushes out the oldest ones when there are too many bytes.
    mutating func add(_ record: Record, recordID: String, weight: Int) {
        // An entry takes some room even when it shares its evaluation.
        let weight = weight + 256
        self.records[recordID] = record
        self.order.append((recordID, weight))
        self.weight += weight
        while self.weight > self.budget, self.order.count > 1, let oldest = self.order.popFirst() {
            self.records[oldest.recordID] = nil
            self.weight -= oldest.weight
        }
    }
}
