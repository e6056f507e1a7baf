import Store
import TestSupport
import Testing

@Suite struct ClientTests {
    let directory: TemporaryDirectory
    let store: Store

    init() throws {
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(in: self.directory)
    }

    private func client(_ name: String, key: UInt8, scopes: [String] = ["evaluate", "report"]) -> NewClient {
        NewClient(name: name, keyHash: [UInt8](repeating: key, count: 32), scopes: scopes, createdAt: someDay)
    }

    @Test func addedClientIsThereAfterReopening() async throws {
        try await self.store.addClient(self.client("app", key: 1))
        try await self.store.addClient(self.client("batch", key: 2, scopes: []))
        await self.store.close()
        let clients = try Store.open(in: self.directory).clients()
        #expect(clients.map(\.name) == ["app", "batch"])
        let app = try #require(clients.first)
        #expect(app.keyHash == [UInt8](repeating: 1, count: 32))
        #expect(app.scopes == ["evaluate", "report"])
        #expect(app.createdAt == someDay)
        #expect(app.revokedAt == nil)
        #expect(clients.last?.scopes == [])
    }

    @Test func revokedNameIsNeverUsedAgain() async throws {
        try await self.store.addClient(self.client("app", key: 1))
        #expect(try await self.store.revokeClient("app", at: someDay + day))
        #expect(try self.store.clients().first?.revokedAt == someDay + day)
        let error = await storeError { try await self.store.addClient(self.client("app", key: 2)) }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("never used twice") == true)
        #expect(try self.store.clients().count == 1)
    }

    @Test func everythingAboutAClientIsKept() async throws {
        var client = self.client("app", key: 1)
        client.label = "the app, 2nd floor"
        client.appKey = "sgk_1"
        client.coreTypes = ["word", "sent.eval.cn"]
        client.addresses = ["192.0.2.0/24", "2001:db8::/32"]
        client.expiresAt = someDay + day
        try await self.store.addClient(client)
        let row = try #require(try self.store.clients().first)
        #expect(row.label == client.label && row.appKey == "sgk_1" && row.version == 1)
        #expect(row.coreTypes == client.coreTypes && row.addresses == client.addresses)
        #expect(row.expiresAt == someDay + day && row.previousKeyHash == nil && row.previousUntil == nil)
        var other = self.client("batch", key: 2)
        other.appKey = "sgk_1"
        let error = await storeError { [other] in try await self.store.addClient(other) }
        #expect(error?.code == .conflict)
    }

    @Test func aRotationKeepsTheKeyBeforeAndRaisesTheVersion() async throws {
        var client = self.client("app", key: 1)
        client.appKey = "sgk_1"
        try await self.store.addClient(client)
        let second = [UInt8](repeating: 2, count: 32)
        let rotation = try await self.store.rotateClient("app", keyHash: second, previousUntil: someDay + day)
        #expect(rotation?.version == 2 && rotation?.appKey == "sgk_1")
        let row = try #require(try self.store.clients().first)
        #expect(row.keyHash == second && row.previousKeyHash == [UInt8](repeating: 1, count: 32))
        #expect(row.previousUntil == someDay + day && row.version == 2)
        let error = await storeError { try await self.store.addClient(self.client("batch", key: 1)) }
        #expect(error?.code == .conflict, "the key before is still the client's")
        #expect(try await self.store.rotateClient("nobody", keyHash: second, previousUntil: 0) == nil)
        #expect(try await self.store.revokeClient("app", at: someDay))
        #expect(try self.store.clients().first?.version == 3)
        #expect(try await self.store.rotateClient("app", keyHash: second, previousUntil: 0) == nil)
    }

    @Test func revokingTwiceOrANobodyChangesNothing() async throws {
        try await self.store.addClient(self.client("app", key: 1))
        #expect(try await self.store.revokeClient("app", at: someDay))
        #expect(try await !self.store.revokeClient("app", at: someDay + day))
        #expect(try await !self.store.revokeClient("nobody", at: someDay))
        #expect(try self.store.clients().first?.revokedAt == someDay)
    }

    @Test func twoClientsNeverShareAKey() async throws {
        try await self.store.addClient(self.client("app", key: 1))
        let error = await storeError { try await self.store.addClient(self.client("batch", key: 1)) }
        #expect(error?.code == .conflict)
    }

    @Test(arguments: ["", "two words"])
    func oddScopeIsRefused(scope: String) async throws {
        let error = await storeError { try await self.store.addClient(self.client("app", key: 1, scopes: [scope])) }
        #expect(error?.code == .invalid)
        #expect(try self.store.clients().isEmpty)
    }
}
