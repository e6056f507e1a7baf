import Cryptography
import Foundation
import TestSupport
import Testing

@testable import Store

/// Stores of released versions, kept as text under `Fixtures`, each with rows of every table: today's program opens them
/// and understands every row.
@Suite struct UpgradeTests {
    let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    /// Makes the database of a version, and opens it as a store.
    private func store(of version: String) throws -> Store {
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/\(version).sql")
        try self.directory.write([], to: "speechgate.db")
        let database = try Database(path: self.directory.path + "/speechgate.db", access: .readWrite)
        try database.execute(String(contentsOf: fixture, encoding: .utf8))
        let empty = try database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all { $0.text(at: 0) }
            .filter { try database.integer("SELECT COUNT(*) FROM \($0)") == 0 }
        #expect(empty.isEmpty, "the fixture has a row of every table")
        return try Store.open(in: self.directory)
    }

    @Test func aStoreFromBeforeTheFirstVersionIsRefused() throws {
        // Builds from before did not keep the digests of steps.
        let path = self.directory.path + "/speechgate.db"
        try self.directory.write([], to: "speechgate.db")
        let database = try Database(path: path, access: .readWrite)
        try database.execute("PRAGMA application_id = 0x53704774")
        try database.execute("CREATE TABLE migrations (position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
        let error = #expect(throws: StoreError.self) { try Store.open(in: self.directory) }
        #expect(error?.code == .otherSchema)
        #expect(error?.message.contains(path) == true)
    }

    private static func hash(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private static let start: Int64 = 1_780_000_000_000
    private static let compressed: [UInt8] = {
        let words = [String](repeating: #""天""#, count: 80).joined(separator: ", ")
        return Array(#"{"recordId": "rec-2", "words": [\#(words)]}"#.utf8)
    }()

    @Test(arguments: ["0.1"]) func aSchemaIsBroughtToTodays(version: String) async throws {
        let upgraded = try self.store(of: version)
        let elsewhere = try TemporaryDirectory()
        let new = try Store.open(in: elsewhere)
        await upgraded.close()
        await new.close()
        let schemas = try [self.directory, elsewhere].map { directory in
            try Database(path: directory.path + "/speechgate.db", access: .readOnly)
                .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name").all {
                    $0.text(at: 0)
                }
        }
        #expect(schemas[0] == schemas[1])
        #expect(schemas[0].count > 30)
    }

    @Test func keysAndAnswersOf0_1() async throws {
        let store = try self.store(of: "0.1")
        let plain = try #require(try store.lookUp(ScopeHash(0, 1)))
        #expect(plain.id == 1 && plain.client == "school" && plain.user == "mei" && plain.key == "lesson-1")
        #expect(plain.operation == "evaluate" && plain.fingerprint == Self.hash(101) && plain.appKey == "ak-main")
        #expect(plain.upstreamKey == "00000000000000000000000000000001" && plain.firstSentAt == Self.start + 1)
        #expect(plain.answer?.body == Array(#"{"recordId":"rec-1"}"#.utf8) && plain.answer?.platformCode == 0)
        #expect(plain.answer?.answeredAt == Self.start + 1_001 && plain.answer?.recordID == "rec-1")
        let frame = try #require(try store.lookUp(ScopeHash(0, 2)))
        #expect(frame.user == nil && frame.answer?.body == Self.compressed && frame.answer?.platformCode == nil)
        #expect(frame.answer?.contentType == "application/json; charset=utf-8" && frame.answer?.status == 200)
        let audio = try #require(try store.lookUp(ScopeHash(0, 7)))
        #expect(audio.operation == "tts" && audio.answer?.recordID == nil && audio.answer?.body.count == 5)
        let open = try store.openClaims(includingSettled: true)
        #expect(open.map(\.id) == [3, 4, 5] && open.map(\.isUnresolved) == [false, true, true])
        #expect(open.map(\.isSettledBilled) == [false, false, true] && open[0].fingerprint == Self.hash(3))
        #expect(open[0].flight == FlightID(process: .max - 1, serial: 5))
        let counts = store.claimCounts()
        #expect(counts.sent == 1 && counts.unresolved == 1 && counts.settledBilled == 1 && counts.answered == 4)
        // What the platform knows of an open call stays, and a new one gets an id that was never used.
        var again = NewClaim.sample(1, flight: 70)
        again.scope = ScopeHash(0, 3)
        let row = try await store.claim(again)
        #expect(row.id == 3 && row.appKey == "ak-main" && row.upstreamKey == "00000000000000000000000000000003")
        #expect(try await store.claim(.sample(99)).id >= 20)
        await store.close()
    }

    @Test func recordsAndReportsOf0_1() async throws {
        let store = try self.store(of: "0.1")
        let page = try store.records(RecordFilter(client: "school"), limit: 10)
        // That of the user who is being erased is not there any more.
        #expect(page.map(\.recordID) == ["rec-6", "rec-2", "rec-1"])
        #expect(page[0].overall == 87.5 && page[0].coreType == "sentence" && page[1].overall == nil)
        let record = try #require(try store.record("rec-6", client: "school", user: "mei"))
        #expect(record.key == "lesson-0" && record.createdAt == Self.start + 1_006 && record.operation == "evaluate")
        #expect(record.answer.body == Array(#"{"recordId":"rec-6"}"#.utf8))
        let whole = try #require(try store.report("rec-1", client: "school", user: "mei")?.report)
        #expect(whole.body == Array(#"{"report":1}"#.utf8) && whole.isComplete)
        let part = try #require(try store.report("rec-2", client: "school", user: nil)?.report)
        #expect(part.body == Self.compressed && !part.isComplete && part.fetchedAt == Self.start + 2_002)
        await store.close()
    }

    @Test func clientsAndTokensOf0_1() async throws {
        let store = try self.store(of: "0.1")
        #expect(
            try store.clients() == [
                ClientRow(
                    name: "school",
                    label: "the school's app",
                    keyHash: Self.hash(0x11),
                    previousKeyHash: Self.hash(0x12),
                    previousUntil: Self.start + day,
                    appKey: "sgak_school",
                    version: 3,
                    scopes: ["evaluate", "report"],
                    coreTypes: ["word", "sentence"],
                    addresses: ["192.0.2.0/24", "2001:db8::/32"],
                    expiresAt: Self.start + 10 * day,
                    createdAt: Self.start,
                    revokedAt: nil
                ),
                ClientRow(
                    name: "kiosk",
                    label: nil,
                    keyHash: Self.hash(0x13),
                    previousKeyHash: nil,
                    previousUntil: nil,
                    appKey: nil,
                    version: 1,
                    scopes: ["tts"],
                    coreTypes: [],
                    addresses: [],
                    expiresAt: nil,
                    createdAt: Self.start + 1,
                    revokedAt: Self.start + 2
                ),
            ]
        )
        let all = TokenRevocation(
            client: "school",
            user: nil,
            tokenID: nil,
            revokedAt: Self.start + 5,
            expiresAt: Self.start + 6
        )
        let one = TokenRevocation(
            client: "school",
            user: "mei",
            tokenID: "token-9",
            revokedAt: Self.start + 7,
            expiresAt: Self.start + 8
        )
        #expect(try store.tokenRevocations() == [all, one])
        #expect(try store.tokenCalls("token-1") == 3)
        #expect(try await !store.spendNonce("nonce-1", of: "school", until: Self.start + 9))
        #expect(try await store.spendNonce("nonce-2", of: "school", until: Self.start + 9))
        #expect(store.fingerprintKey == Secret(Array(0..<16)))
        await store.close()
    }

    @Test func usageAndErasuresOf0_1() async throws {
        let store = try self.store(of: "0.1")
        let filter = UsageFilter(client: nil, time: Self.start - day..<Self.start + day)
        let usage = try await store.usage(filter, by: .client, limit: 10)
        #expect(usage.map(\.group) == ["kiosk", "school"] && usage.map(\.counts.billed) == [1, 2])
        #expect(usage.last?.counts.calls == 5 && usage.last?.counts.audioMilliseconds == 4_500)
        #expect(
            try store.dayTotals(of: "client/school") == [
                DayTotal(day: 20_602, calls: 1, audioMilliseconds: 0),
                DayTotal(day: 20_601, calls: 2, audioMilliseconds: 4_500),
            ]
        )
        #expect(
            try store.reservations(of: ScopeHash(0, 3)) == [
                Reservation(owner: "client/school", day: 20_602, audioMilliseconds: 1_500)
            ]
        )
        #expect(try store.isErased(ScopeHash(0, 9)) && store.isErased(ScopeHash(0, 8)))
        #expect(try store.lookUp(ScopeHash(0, 8)) == nil)
        #expect(try await store.pendingErasures() == [10])
        let progress = try await store.continueErasure(10, now: Self.start)
        #expect(progress.isComplete && progress.counts.keys == 3 && progress.counts.records == 2)
        // Nothing asks for the audit but an auditor: one row was there, the other tells of the erasure that ended.
        #expect(try await store.administer("SELECT at_ms FROM audit WHERE actor = 'operator'") == Self.start + 9)
        #expect(try await store.administer("SELECT keys FROM audit WHERE id = 10") == 3)
        try await store.probe()
        #expect(try await store.integrityFaults().isEmpty)
        await store.close()
    }
}
