import Store
import TestSupport
import Testing

/// A million records must cost no more than a thousand: SQLite's own word for every statement that is kept.
@Suite struct PlanTests {
    /// Tables that grow with what is done, under the names that statements give them.
    private static let growing = [
        "keys", "k", "answers", "a", "records", "r", "reports", "p", "usage", "u", "day_usage", "reservations",
        "erased_keys", "audit", "token_calls", "token_revocations",
    ]

    @Test func noStatementWalksThroughATableThatGrows() async throws {
        let directory = try TemporaryDirectory()
        let store = try Store.open(in: directory)
        // Opens a reader, whose statements are asked for too.
        _ = try store.lookUp(ScopeHash(0, 1))
        let plans = try await store.plans()
        #expect(plans.count > 60)
        for plan in plans {
            for step in plan.steps where step.hasPrefix("SCAN") {
                let table = String(step.split(separator: " ").dropFirst().first ?? "")
                #expect(!Self.growing.contains(table), "\(step)\n\(plan.sql)")
            }
            // A sort reads all that it sorts before the first row is there.
            #expect(!plan.steps.contains { $0.contains("TEMP B-TREE") }, "\(plan.steps)\n\(plan.sql)")
        }
        await store.close()
    }
}
