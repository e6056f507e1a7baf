internal import GatewayCore
internal import JSONScan
internal import Store

/// `records …`, `usage`, `backup` and what `doctor` asks of the store.
extension Administration {
    /// Who erases, in audit and log.
    private static let operatorName = "operator"

    func listRecords(_ list: RecordListing) throws(StoreError) -> AdministrationReply {
        let filter = RecordFilter(client: list.client, user: list.user, from: list.from ?? 0, to: list.to ?? .max)
        let position = list.after.map { RecordPosition(createdAt: $0.createdAt, id: $0.id) }
        let records = try self.store.records(filter, behind: position, limit: Self.pageLength)
        let format: ListFormat = list.isTable ? .csv : .ndjson
        var reply = AdministrationReply(
            output: ListPage.records(records).bytes(as: format, isFirst: position == nil),
            next: nil
        )
        if records.count == Self.pageLength, let last = records.last?.position {
            var next = list
            next.after = RecordListing.Position(createdAt: last.createdAt, id: last.id)
            reply.next = .listRecords(next)
        }
        return reply
    }

    func showRecord(_ recordID: String, client: String) throws -> AdministrationReply {
        guard let record = try self.store.record(recordID, client: client, user: nil) else {
            throw Self.noRecord(recordID, client: client)
        }
        return AdministrationReply(output: record.answer.body, next: nil)
    }

    func eraseRecord(_ recordID: String, client: String) async throws -> AdministrationReply {
        let counts = try await self.erasures().eraseRecord(
            recordID,
            client: client,
            user: nil,
            by: Self.operatorName
        )
        guard let counts else { throw Self.noRecord(recordID, client: client) }
        return Self.lines { writer in
            writer.object { json in
                json.member("recordId", recordID)
                json.member("client", client)
                counts.describe(isComplete: true, into: &json)
            }
        }
    }

    func eraseUser(_ user: String, client: String) async throws -> AdministrationReply {
        let progress = try await self.erasures().eraseUser(user, client: client, by: Self.operatorName)
        return Self.lines { writer in
            writer.object { json in
                json.member("userId", user)
                json.member("client", client)
                progress.counts.describe(isComplete: progress.isComplete, into: &json)
            }
        }
    }

    func listUsage(_ list: UsageListing) async throws(StoreError) -> AdministrationReply {
        try await self.running?.calls.flushUsage()
        let filter = UsageFilter(client: list.client, time: (list.from ?? 0)..<(list.to ?? .max))
        let rows = try await self.store.usage(filter, by: list.grouping, after: list.after, limit: Self.pageLength)
        let format: ListFormat = list.isTable ? .csv : .ndjson
        var reply = AdministrationReply(
            output: ListPage.usage(rows, by: list.grouping).bytes(as: format, isFirst: list.after == nil),
            next: nil
        )
        if rows.count == Self.pageLength, let last = rows.last?.group {
            var next = list
            next.after = last
            reply.next = .listUsage(next)
        }
        return reply
    }

    func backUp(to path: String) async throws -> AdministrationReply {
        let size: Int
        do throws(StoreError) {
            size = try await self.store.backUp(to: path)
        } catch {
            guard error.code == .conflict else { throw VerbFailure(error) }
            throw VerbFailure(.cannotCreate, error.message)
        }
        return Self.lines { writer in
            writer.object { json in
                json.member("file", path)
                json.member("bytes", size)
                json.member("check", "ok")
            }
        }
    }

    func checkIntegrity() async throws -> AdministrationReply {
        let faults = try await self.store.integrityFaults()
        guard faults.isEmpty else { throw VerbFailure(.dataError, faults.joined(separator: "; ")) }
        return AdministrationReply(output: [], next: nil)
    }

    private func erasures() throws(StoreError) -> Erasures {
        if let running = self.running { return running.erasures }
        return Erasures(
            store: self.store,
            calls: nil,
            revocations: try TokenRevocations(store: self.store),
            logger: .quiet
        )
    }

    private static func noRecord(_ recordID: String, client: String) -> VerbFailure {
        let advice = "speechgate records list --client \(client) shows all"
        return VerbFailure(.dataError, "client \"\(client)\" has no record \"\(recordID)\"; \(advice)")
    }
}
