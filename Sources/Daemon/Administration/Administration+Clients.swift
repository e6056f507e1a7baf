internal import Cryptography
internal import GatewayCore
internal import JSONScan
internal import Locking
internal import Store

/// `client …` and `token …`.
extension Administration {
    func addClient(_ description: ClientDescription) async throws -> AdministrationReply {
        let name = description.name
        if let fault = NameText.fault(name) { throw VerbFailure(.usage, "NAME: \(fault)") }
        let scopes = description.scopes
        guard !scopes.isEmpty, scopes.allSatisfy({ Scope(rawValue: $0) != nil }) else {
            throw VerbFailure(.usage, "--scopes: known: \(Scope.list)")
        }
        guard description.addresses.allSatisfy({ AddressRange($0) != nil }) else {
            throw VerbFailure(.usage, "--addresses: \(AddressRange.forms)")
        }
        let now = self.clock.unixMilliseconds()
        let key = APIKey.make()
        var client = NewClient(name: name, keyHash: key.hash.bytes, scopes: scopes, createdAt: now)
        client.label = description.label
        client.coreTypes = description.coreTypes
        client.addresses = description.addresses
        client.expiresAt = description.lifetimeSeconds.map { now + Int64($0) * 1000 }
        // Not secret, and not to be guessed either: the name alone would tell strangers which clients there are.
        client.appKey = description.isSigning ? "sgk_" + Hex.encode(SecureRandom.bytes(count: 12)) : nil
        do throws(StoreError) {
            try await self.store.addClient(client)
        } catch {
            guard error.code == .conflict else { throw VerbFailure(error) }
            let rule = "names are never given twice, not even after a revocation"
            throw VerbFailure(.cannotCreate, "there is or was a client \"\(name)\"; \(rule): choose another")
        }
        try self.reloadClients()
        return try self.credentials(of: name, apiKey: key.text, appKey: client.appKey, version: 1)
    }

    func rotateClient(_ name: String, overlap: Duration) async throws -> AdministrationReply {
        let key = APIKey.make()
        let until = self.clock.unixMilliseconds() + overlap.components.seconds * 1000
        guard
            let rotation = try await self.store.rotateClient(name, keyHash: key.hash.bytes, previousUntil: until)
        else { throw try self.noClient(name) }
        try self.reloadClients()
        return try self.credentials(
            of: name,
            apiKey: key.text,
            appKey: rotation.appKey,
            version: rotation.version,
            previousUntil: until
        )
    }

    /// What is printed once and kept nowhere.
    private func credentials(
        of name: String,
        apiKey: String,
        appKey: String?,
        version: Int,
        previousUntil: Int64? = nil
    ) throws(VerbFailure) -> AdministrationReply {
        let masters = try self.masterKeys()
        return Self.lines { writer in
            writer.object { json in
                json.member("client", name)
                json.member("apiKey", apiKey)
                json.member("appKey", appKey)
                json.member("secretKey", appKey.map { _ in masters.signingSecret(client: name, version: version) })
                if let previousUntil {
                    json.member("previousValidUntil", Timestamp.text(unixMilliseconds: previousUntil))
                }
            }
        }
    }

    func listClients() throws(StoreError) -> AdministrationReply {
        let rows = try self.store.clients()
        return Self.lines { writer in
            for row in rows {
                writer.object { Self.describe(row, into: &$0) }
                writer.lineFeed()
            }
        }
    }

    private static func describe(_ row: ClientRow, into json: inout JSONObjectWriter) {
        func time(_ time: Int64?) -> String? { time.map { Timestamp.text(unixMilliseconds: $0) } }
        json.member("client", row.name)
        json.member("label", row.label)
        json.array("scopes") { list in
            for scope in row.scopes { list.element(scope) }
        }
        json.array("coreTypes") { list in
            for coreType in row.coreTypes { list.element(coreType) }
        }
        json.array("addresses") { list in
            for address in row.addresses { list.element(address) }
        }
        json.member("appKey", row.appKey)
        json.member("version", row.version)
        json.member("createdAt", time(row.createdAt))
        json.member("expiresAt", time(row.expiresAt))
        json.member("previousValidUntil", time(row.previousUntil))
        json.member("revokedAt", time(row.revokedAt))
    }

    func revokeClient(_ name: String) async throws -> AdministrationReply {
        let now = self.clock.unixMilliseconds()
        guard try await self.store.revokeClient(name, at: now) else { throw try self.noClient(name) }
        try self.reloadClients()
        return Self.lines { writer in
            writer.object { json in
                json.member("client", name)
                json.member("revokedAt", Timestamp.text(unixMilliseconds: now))
            }
        }
    }

    private func noClient(_ name: String) throws(StoreError) -> VerbFailure {
        let exists = try self.store.clients().contains { $0.name == name }
        let known = exists ? "the client \"\(name)\" is revoked already" : "there is no client \"\(name)\""
        return VerbFailure(.noUser, "\(known); speechgate client list shows all")
    }

    private func reloadClients() throws(StoreError) {
        try self.clients.withLock { (clients) throws(StoreError) in
            clients?.replace(with: try self.store.clients())
        }
    }

    private func masterKeys() throws(VerbFailure) -> MasterKeys {
        guard let masters = self.masters else { throw VerbFailure(.software, "the master secret was not read") }
        return masters
    }

    // MARK: - Tokens

    func makeToken(_ description: TokenDescription) throws -> AdministrationReply {
        guard try self.store.clients().contains(where: { $0.name == description.client && $0.revokedAt == nil }) else {
            throw try self.noClient(description.client)
        }
        var request = TokenIssuer.Request(client: description.client, user: description.user)
        request.lifetime = description.lifetimeSeconds
        request.scopes = description.scopes.map { Set($0.compactMap { Scope(rawValue: $0) }) }
        request.maximumCalls = description.maximumCalls
        let issued = try self.issuer().issue(request)
        return AdministrationReply(output: issued.json + [0x0A], next: nil)
    }

    private func issuer() throws -> TokenIssuer {
        let clients = ClientDirectory()
        clients.replace(with: try self.store.clients())
        return TokenIssuer(
            clients: clients,
            masters: try self.masterKeys(),
            revocations: try self.revocations(),
            clock: self.clock
        )
    }

    func revokeTokens(client: String, user: String?, tokenID: String?) async throws -> AdministrationReply {
        guard try self.store.clients().contains(where: { $0.name == client }) else { throw try self.noClient(client) }
        let now = self.clock.unixMilliseconds()
        try await self.revocations().revoke(tokenID: tokenID, user: user, client: client, at: now)
        return Self.lines { writer in
            writer.object { json in
                json.member("client", client)
                json.member("user", user)
                json.member("tokenId", tokenID)
                json.member("revokedAt", Timestamp.text(unixMilliseconds: now))
            }
        }
    }

    private func revocations() throws(StoreError) -> TokenRevocations {
        if let running = self.running { return running.revocations }
        return try TokenRevocations(store: self.store)
    }
}

extension AddressRange {
    /// What can be written, for messages.
    static let forms =
        #"addresses and ranges such as "192.0.2.7", "192.0.2.0/24", "2001:db8::/32" or "unix" are wanted"#
}
