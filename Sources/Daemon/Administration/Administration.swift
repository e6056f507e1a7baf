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

    let store: Store
    /// Nil without a daemon, for commands that need none.
    let masters: MasterKeys?
    let clock: GatewayClock
    /// Nil without a daemon.
    let running: GatewayAssembly?
    /// Nil without a daemon.
    private let reload: ConfigurationReload?
    /// Reading the clients and showing them to the gateway is one step: an older list must not come last.
    let clients: Locked<ClientDirectory?>

    init(
        store: Store,
        masters: MasterKeys?,
        running: GatewayAssembly?,
        reload: ConfigurationReload? = nil,
        clock: GatewayClock = .system
    ) {
        self.store = store
        self.masters = masters
        self.reload = reload
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
            case .addClient(let description):
                return try await self.addClient(description)
            case .listClients:
                return try self.listClients()
            case .rotateClient(let name, let overlap):
                return try await self.rotateClient(name, overlap: .seconds(overlap))
            case .revokeClient(let name):
                return try await self.revokeClient(name)
            case .makeToken(let description):
                return try self.makeToken(description)
            case .revokeTokens(let client, let user, let tokenID):
                return try await self.revokeTokens(client: client, user: user, tokenID: tokenID)
            case .listClaims(let after):
                return try self.listClaims(after: after)
            case .reload:
                guard let reload = self.reload else { throw VerbFailure.noDaemon }
                let report = try await reload.perform()
                return Self.lines { writer in
                    writer.object { json in
                        json.array("changed") { list in report.changed.forEach { list.element($0) } }
                        json.array("needRestart") { list in report.needRestart.forEach { list.element($0) } }
                    }
                }
            case .settleClaim(let key, let client, let user, let billed):
                guard let key = IdempotencyKey(key) else {
                    throw VerbFailure(.usage, "KEY: a key is 1 to 200 printable ASCII characters without spaces")
                }
                let scope = CallScope(client: client, user: user, key: key)
                return try await self.settle(scope, billed: billed)
            case .listRecords(let list):
                return try self.listRecords(list)
            case .showRecord(let recordID, let client):
                return try self.showRecord(recordID, client: client)
            case .eraseRecord(let recordID, let client):
                return try await self.eraseRecord(recordID, client: client)
            case .eraseUser(let user, let client):
                return try await self.eraseUser(user, client: client)
            case .listUsage(let list):
                return try await self.listUsage(list)
            case .backUp(let path):
                return try await self.backUp(to: path)
            case .checkIntegrity:
                return try await self.checkIntegrity()
            }
        } catch let error as VerbFailure {
            throw error
        } catch let error as StoreError {
            throw VerbFailure(error)
        } catch let error as GatewayError {
            throw VerbFailure(.usage, error.message)
        } catch {
            throw VerbFailure(.software, "an unexpected failure")
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
        reply.next = rows.count < Self.pageLength ? nil : rows.last.map { .listClaims(after: $0.id) }
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

    static func lines(_ write: (inout JSONWriter) -> Void) -> AdministrationReply {
        var writer = JSONWriter()
        write(&writer)
        if let last = writer.bytes.last, last != 0x0A { writer.lineFeed() }
        return AdministrationReply(output: writer.bytes, next: nil)
    }
}

extension VerbFailure {
    /// There is nothing to talk to.
    static let noDaemon = VerbFailure(
        .unavailable,
        "no gateway runs on this state directory; there is nothing to reload"
    )

    /// What a store's failure means for the process.
    init(_ error: StoreError) {
        let exitCode: ExitCode =
            switch error.code {
            case .locked, .overloaded, .closed: .temporaryFailure
            case .unavailable, .spoolFull, .diskLow: .ioError
            case .corrupt, .otherSchema, .conflict, .settledBilled, .erased, .tokenExhausted: .dataError
            case .invalid: .software
            }
        self.init(exitCode, error.message)
        self.isWorthRepeating = error.code == .locked
    }
}
