import Store
import TestSupport
import Testing

/// Midnight of some day, in Unix milliseconds.
let someDay: Int64 = 1_780_000_000_000
let hour: Int64 = 3_600_000
let day: Int64 = 24 * hour

/// Bytes that take as much room on disk as they are many: nothing in them can be compressed.
func noise(_ count: Int) -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
}

extension NewClaim {
    /// A claim of a key with a number; everything else follows from it.
    static func sample(
        _ number: UInt64,
        client: String = "app",
        user: String? = "anna",
        fingerprint: UInt8 = 1,
        at time: Int64 = someDay,
        flight: UInt64? = nil
    ) -> NewClaim {
        NewClaim(
            scope: ScopeHash(0x5EED, number),
            client: client,
            user: user,
            key: "key-\(number)",
            operation: "evaluate",
            fingerprint: [UInt8](repeating: fingerprint, count: 32),
            appKey: "account-1",
            upstreamKey: "upstream-\(number)",
            sentAt: time,
            flight: FlightID(process: 7, serial: flight ?? number)
        )
    }
}

extension NewAnswer {
    /// An answer with a record to a sample claim.
    static func sample(
        _ number: UInt64,
        row: ClaimedRow,
        flight: UInt64? = nil,
        fingerprint: UInt8 = 1,
        claim: NewClaim? = nil,
        body: [UInt8]? = nil,
        at time: Int64 = someDay + 900,
        record: NewRecord? = nil
    ) -> NewAnswer {
        NewAnswer(
            claim: claim ?? .sample(number, fingerprint: fingerprint, flight: flight),
            row: row,
            status: 200,
            contentType: "application/json",
            body: body ?? Array("{\"recordId\":\"rec-\(number)\"}".utf8),
            platformCode: 0,
            answeredAt: time,
            record: record ?? NewRecord(recordID: "rec-\(number)", coreType: "en.sent.score", overall: 87.5)
        )
    }
}

extension Store {
    /// Opens the store of a temporary directory.
    static func open(
        in directory: TemporaryDirectory,
        _ configure: (inout Configuration) -> Void = { _ in }
    ) throws -> Store {
        var configuration = Configuration(directory: directory.path)
        configure(&configuration)
        return try Store.open(configuration)
    }

    /// Claims and answers a sample key.
    @discardableResult
    func answer(_ number: UInt64, at time: Int64 = someDay, body: [UInt8]? = nil) async throws -> ClaimedRow {
        let row = try await self.claim(.sample(number, at: time))
        _ = try await self.complete(.sample(number, row: row, body: body, at: time + 900))
        return row
    }

    /// Returns when so many writes wait for the writer.
    func waitForWrites(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async {
        await until(at: sourceLocation) { self.statistics.waitingWrites >= count }
    }
}

/// What an asynchronous call threw, if it was the store's error.
func storeError(_ body: () async throws -> Void) async -> StoreError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? StoreError
    }
}
