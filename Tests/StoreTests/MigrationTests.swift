import Store
import TestSupport
import Testing

@Suite struct MigrationTests {
    let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private static let note = Migration(
        name: "test note",
        sql: "ALTER TABLE clients ADD COLUMN note TEXT; UPDATE clients SET note = 'old'"
    )

    private func open(_ migrations: [Migration]) throws(StoreError) -> Store {
        try Store.open(Store.Configuration(directory: self.directory.path), migrations: migrations)
    }

    @Test func namesAreUnique() {
        #expect(Set(Migration.all.map(\.name)).count == Migration.all.count)
    }

    /// A step that stores were made by stays what it is; a change of the schema is a step of its own behind the last one.
    @Test func stepsAreNeverEdited() {
        // sha256sum of the statements.
        let digests = [
            "2026-11 claims": "b0447fc1a3008cbfd12fcc4df537055bb79544d58a39c237dd3c70f62c1662af",
            "2026-11 quotas": "ac2f2f02fabf8a7ffad0f315cbc14500a91693ece51f657a86e5ccaf06e43997",
            "2026-11 erasure": "89384b18baca618feada5ce935a6e8b80595452480b3d93778d0a0bdd41eb20c",
            "2026-11 usage": "16c91dc4ad8189a7904fb7c95bd56bd69ddc78302776f9594454d411d70152d2",
        ]
        for migration in Migration.all { #expect(digests[migration.name] == migration.digest, "\(migration.name)") }
        #expect(Migration.all.count == digests.count)
    }

    @Test func olderDatabaseIsBroughtUpWithItsContent() async throws {
        let old = try self.open(Migration.all)
        try await old.answer(1)
        try await old.addClient(
            NewClient(name: "app", keyHash: [UInt8](repeating: 1, count: 32), scopes: [], createdAt: someDay)
        )
        await old.close()
        let new = try self.open(Migration.all + [Self.note])
        #expect(try new.lookUp(ScopeHash(0x5EED, 1))?.answer != nil)
        // Fails if the column is missing.
        try await new.administer("SELECT note FROM clients")
        await new.close()
        // Applied once: twice would fail at the existing column.
        let again = try self.open(Migration.all + [Self.note])
        #expect(try again.clients().map(\.name) == ["app"])
    }

    @Test func newerDatabaseIsRefusedAndLeftAlone() async throws {
        let new = try self.open(Migration.all + [Self.note])
        await new.close()
        let before = try self.directory.contents(of: "speechgate.db")
        let error = #expect(throws: StoreError.self) {
            try self.open(Migration.all)
        }
        #expect(error?.code == .otherSchema)
        #expect(error?.message.contains("test note") == true)
        #expect(error?.message.contains(self.directory.path) == true)
        #expect(try self.directory.contents(of: "speechgate.db") == before)
        // The refused opener does not keep the lock.
        let again = try self.open(Migration.all + [Self.note])
        await again.close()
    }

    @Test(
        arguments: [
            // Edited, one before another, and one left out.
            (
                [0, 1, 2].map { Migration.all[$0] } + [Migration(name: Migration.all[3].name, sql: "")],
                Migration.all[3].name
            ),
            ([1, 0, 2, 3].map { Migration.all[$0] }, Migration.all[0].name),
            (Migration.all.prefix(2) + [MigrationTests.note] + Migration.all.suffix(2), Migration.all[2].name),
        ] as [([Migration], String)]
    )
    func aStoreThatOtherStepsMadeIsRefusedAndLeftAlone(steps: [Migration], differing: String) async throws {
        try await self.open(Migration.all).close()
        let before = try self.directory.contents(of: "speechgate.db")
        let error = #expect(throws: StoreError.self) { try self.open(steps) }
        #expect(error?.code == .otherSchema)
        #expect(error?.message.contains(#"its step "\#(differing)" is not the one of this program"#) == true)
        #expect(try self.directory.contents(of: "speechgate.db") == before)
        #expect(throws: Never.self) { try self.open(Migration.all) }
    }

    @Test func failingStepLeavesTheDatabaseAsItWas() async throws {
        let old = try self.open(Migration.all)
        try await old.answer(1)
        await old.close()
        let bad = Migration(name: "test bad", sql: "CREATE TABLE half (id INTEGER); CREATE TABLE keys (id INTEGER)")
        #expect(throws: StoreError.self) {
            try self.open(Migration.all + [bad])
        }
        let good = Migration(name: "test bad", sql: "CREATE TABLE half (id INTEGER)")
        let store = try self.open(Migration.all + [good])
        #expect(try store.lookUp(ScopeHash(0x5EED, 1))?.answer != nil)
    }
}
