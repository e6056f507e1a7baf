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
        #expect(error?.code == .newerSchema)
        #expect(error?.message.contains("test note") == true)
        #expect(error?.message.contains(self.directory.path) == true)
        #expect(try self.directory.contents(of: "speechgate.db") == before)
        // The refused opener does not keep the lock.
        let again = try self.open(Migration.all + [Self.note])
        await again.close()
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
