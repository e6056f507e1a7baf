/// The questions about quotas.
struct QuotaQuestions {
    fileprivate let dayTotals: Statement
    fileprivate let reservations: Statement

    init(_ database: Database) throws(StoreError) {
        self.dayTotals = try database.prepare(
            "SELECT day, calls, audio_ms FROM day_usage WHERE owner = ?1 ORDER BY day DESC LIMIT 3"
        )
        self.reservations = try database.prepare(
            """
            SELECT r.owner, r.day, r.audio_ms FROM keys k JOIN reservations r ON r.claim = k.id WHERE k.scope = ?1
            """
        )
    }
}

extension Reader {
    func dayTotals(of owner: String) throws(StoreError) -> [DayTotal] {
        try self.quotas.dayTotals.all {
            $0.bind(owner, at: 1)
        } reading: {
            DayTotal(day: Int($0.integer(at: 0)), calls: Int($0.integer(at: 1)), audioMilliseconds: $0.integer(at: 2))
        }
    }

    func reservations(of scope: ScopeHash) throws(StoreError) -> [Reservation] {
        try self.quotas.reservations.all {
            $0.bind(scope, at: 1)
        } reading: {
            $0.reservation()
        }
    }
}
