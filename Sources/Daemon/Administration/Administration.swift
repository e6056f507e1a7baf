internal import Cryptography
internal import GatewayCore
internal import JSONScan
internal import Locking
internal import Store

/// Performs what the command line asks for, on an open store: in the daemon behind its control socket, or in the command
/// line's own process while no daemon runs.
final class Administration: Sendable {
    /// How many lines one reply of a list has at most.
    static let pageLength = 500

    private let store: Store
    /// Nil without a daemon.
    private let running: GatewayAssembly?
    private let clock: GatewayClock
    /// Reading the clients and showing them to the gateway is one step: an older list must not come last.
    private let clients: Locked<ClientDirectory?>

    init(store: Store, running: GatewayAssembly?, clock: GatewayClock = .system) {
        self.store = store
        self.running = running
        self.clients = Locked(running?.clients)
        self.clock = clock
    }

    /// Performs a command.
    ///
    /// - Throws: ``VerbFailure`` with the exit code of the verb.
    func perform(_ command: AdministrationCommand) async throws(VerbFailure) -> AdministrationReply {
        do {
            switch command {
            case .addClient(let name, let scopes):
                return try await self.addClient(name, scopes: scopes)
            case .listClients:
                return try self.listClients()
            case .revokeClient(let name):
                return try await self.revokeClient(name)
            case .listClaims(let after):
                return try self.listClaims(after: after)
            case .settleClaim(let key, let client, let user, let billed):
                guard let key = IdempotencyKey(key) else {
                    throw VerbFailure(.usage, "KEY: a key is 1 to 200 printable ASCII characters without spaces")
                }
                let scope = CallScope(client: client, user: user, key: key)
                return try await self.settle(scope, billed: billed)
            }
        } catch let error as VerbFailure {
            throw error
        } catch let error as StoreError {
            throw VerbFailure(error)
        } catch {
            throw VerbFailure(.software, "an unexpected failure")
        }
    }

    // MARK: - Clients

    private func addClient(_ name: String, scopes: [String]) async throws -> AdministrationReply {
        if let fault = NameText.fault(name) { throw VerbFailure(.usage, "NAME: \(fault)") }
        guard !scopes.isEmpty, scopes.allSatisfy({ Scope(rawValue: $0) != nil }) else {
            throw VerbFailure(.usage, "--scopes: known: \(Scope.list)")
        }
        let key = APIKey.make()
        let client = NewClient(
            name: name,
            keyHash: key.hash.bytes,
            scopes: scopes,
            createdAt: self.clock.unixMilliseconds()
        )
        do throws(StoreError) {
            try await self.store.addClient(client)
        } catch {
            guard error.code == .conflict else { throw VerbFailure(error) }
            let rule = "names are never given twice, not even after a revocation"
            throw VerbFailure(.cannotCreate, "there is or was a client \"\(name)\"; \(rule): choose another")
        }
        try self.reloadClients()
        return Self.lines { writer in
            writer.object { json in
                json.member("client", name)
                json.member("apiKey", key.text)
                json.null("appKey")
                json.null("secretKey")
            }
        }
    }

    private func listClients() throws(StoreError) -> AdministrationReply {
        let rows = try self.store.clients()
        return Self.lines { writer in
            for row in rows {
                writer.object { json in
                    json.member("client", row.name)
                    json.array("scopes") { list in
                        for scope in row.scopes { list.element(scope) }
                    }
                    json.member("createdAt", Timestamp.text(unixMilliseconds: row.createdAt))
                    json.member("revokedAt", row.revokedAt.map { Timestamp.text(unixMilliseconds: $0) })
                }
                writer.lineFeed()
            }
        }
    }

    private func revokeClient(_ name: String) async throws -> AdministrationReply {
        let now = self.clock.unixMilliseconds()
        guard try await self.store.revokeClient(name, at: now) else {
            let exists = try self.store.clients().contains { $0.name == name }
            let known = exists ? "the client \"\(name)\" is revoked already" : "there is no client \"\(name)\""
            throw VerbFailure(.noUser, "\(known); speechgate client list shows all")
        }
        try self.reloadClients()
        return Self.lines { writer in
            writer.object { json in
                json.member("client", name)
                json.member("revokedAt", Timestamp.text(unixMilliseconds: now))
            }
        }
    }

    private func reloadClients() throws(StoreError) {
        try self.clients.withLock { (clients) throws(StoreError) in
            clients?.replace(with: try self.store.clients())
        }
    }

    // MARK: - Claims

    private func listClaims(after: Int64) throws(StoreError) -> AdministrationReply {
        let rows = try self.store.openClaims(after: after, includingSettled: true, limit: Self.pageLength)
        var reply = Self.lines { writer in
            for row in rows {
                writer.object { self.describe(row, into: &$0) }
                writer.lineFeed()
            }
        }
        reply.next = rows.count < Self.pageLength ? nil : rows.last?.id
        return reply
    }

    private func describe(_ row: KeyRow, into json: inout JSONObjectWriter) {
        let scope = IdempotencyKey(row.key).map { CallScope(client: row.client, user: row.user, key: $0) }
        let isRunning = scope.map { self.running?.calls.isRunning($0) == true } ?? false
        json.member("key", row.key)
        json.member("client", row.client)
        json.member("user", row.user)
        json.member("operation", row.operation)
        json.member("state", isRunning ? "running" : row.isSettledBilled ? "settled_billed" : "unknown")
        json.member("unresolved", row.isUnresolved)
        json.member("upstreamKey", row.upstreamKey)
        json.member("firstSentAt", Timestamp.text(unixMilliseconds: row.firstSentAt))
    }

    private func settle(_ scope: CallScope, billed: Bool) async throws -> AdministrationReply {
        let settlement = try await self.settlement(of: scope, billed: billed)
        switch settlement {
        case .notFound:
            let whose = scope.user.map { "of its user \"\($0)\"" } ?? "without a user"
            let what = "no call of client \"\(scope.client)\" \(whose) has the key \"\(scope.key.text)\""
            throw VerbFailure(.dataError, "\(what); speechgate claims list shows what can be settled")
        case .alreadyAnswered:
            throw VerbFailure(.dataError, "this key has its answer; there is nothing to settle")
        case .deleted, .kept:
            break
        }
        return Self.lines { writer in
            writer.object { json in
                json.member("key", scope.key.text)
                json.member("client", scope.client)
                json.member("user", scope.user)
                json.member("state", settlement == .deleted ? "free" : "settled_billed")
            }
        }
    }

    private func settlement(of scope: CallScope, billed: Bool) async throws -> Settlement {
        guard let calls = self.running?.calls else {
            return try await self.store.settle(scope.hash, billed: billed)
        }
        do throws(StoreError) {
            return try await calls.settle(scope, isBilled: billed)
        } catch {
            guard error.code == .conflict else { throw VerbFailure(error) }
            throw VerbFailure(.temporaryFailure, "a call with this key is running; settle it when it has ended")
        }
    }

    private static func lines(_ write: (inout JSONWriter) -> Void) -> AdministrationReply {
        var writer = JSONWriter()
        write(&writer)
        if let last = writer.bytes.last, last != 0x0A { writer.lineFeed() }
        return AdministrationReply(output: writer.bytes, next: nil)
    }
}

extension VerbFailure {
    /// What a store's failure means for the process.
    init(_ error: StoreError) {
        let exitCode: ExitCode =
            switch error.code {
            case .locked, .overloaded, .closed: .temporaryFailure
            case .unavailable, .spoolFull: .ioError
            case .corrupt, .newerSchema, .conflict, .settledBilled, .erased: .dataError
            case .invalid: .software
            }
        self.init(exitCode, error.message)
        self.isWorthRepeating = error.code == .locked
    }
}
