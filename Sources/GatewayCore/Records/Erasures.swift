public import Store
public import Telemetry

/// Erases what a client's users did (design, section 5).
public struct Erasures: Sendable {
    private let store: Store
    /// Nil where no call can run.
    private let calls: PaidCalls?
    private let clock: GatewayClock
    private let logger: Logger
    private let revocations: TokenRevocations

    /// Takes what it needs.
    public init(
        store: Store,
        calls: PaidCalls?,
        revocations: TokenRevocations,
        clock: GatewayClock = .system,
        logger: Logger
    ) {
        self.store = store
        self.calls = calls
        self.clock = clock
        self.logger = logger
        self.revocations = revocations
    }

    /// Erases one record with its answer and its key.
    ///
    /// - Parameters:
    ///   - user: Nil finds any of the client's records.
    ///   - actor: Who wants it.
    /// - Returns: Nil when there is no such record.
    public func eraseRecord(
        _ recordID: String,
        client: String,
        user: String?,
        by actor: String
    ) async throws(StoreError) -> ErasedCounts? {
        let now = self.clock.unixMilliseconds()
        let counts = try await self.store.eraseRecord(recordID, client: client, user: user, by: actor, now: now)
        if let counts { self.log("record erased", counts, client: client, actor: actor) }
        return counts
    }

    /// Erases all calls of a user that began before now, and takes its tokens back; later calls are not touched.
    ///
    /// - Parameters:
    ///   - actor: Who wants it.
    ///   - limit: How long to stay with it; what is left then is finished by ``resume()``.
    public func eraseUser(
        _ user: String,
        client: String,
        by actor: String,
        within limit: Duration = .seconds(10)
    ) async throws(StoreError) -> ErasureProgress {
        let end = self.clock.now() + limit
        let now = self.clock.unixMilliseconds()
        // First, so that nothing new begins in the user's name.
        if try await self.revocations.revokeAll(ofUser: user, client: client, at: now) == .group {
            self.logger.warning(
                "too many users' tokens are revoked to tell all apart; those of a few other users are with them",
                ["client": .string(client)]
            )
        }
        let erasure = NewErasure(
            client: client,
            user: user,
            actor: actor,
            flights: self.calls?.erase(client: client, user: user),
            requestedAt: now
        )
        let id = try await self.store.beginErasure(erasure)
        var progress: ErasureProgress
        repeat {
            progress = try await self.store.continueErasure(id, now: self.clock.unixMilliseconds())
        } while !progress.isComplete && self.clock.now() < end
        let message: StaticString = progress.isComplete ? "user erased" : "user is being erased"
        self.log(message, progress.counts, client: client, actor: actor)
        return progress
    }

    /// Finishes what was begun and not finished, after a crash for instance.
    ///
    /// An erasure that the store cannot finish does not keep the others from theirs. Cancelling the task ends it between
    /// two batches.
    public func resume() async throws(StoreError) {
        for id in try await self.store.pendingErasures() where !Task.isCancelled {
            do throws(StoreError) {
                var progress: ErasureProgress
                repeat {
                    progress = try await self.store.continueErasure(id, now: self.clock.unixMilliseconds())
                } while !progress.isComplete && !Task.isCancelled
                guard progress.isComplete else { return }
                self.logger.notice("a pending erasure is finished", ["erased.keys": .int(progress.counts.keys)])
            } catch {
                self.logger.error(
                    "a pending erasure cannot be finished; it is tried again",
                    ["erasure.id": .int(id), "store.error": .string(error.message)]
                )
            }
        }
    }

    private func log(_ message: StaticString, _ counts: ErasedCounts, client: String, actor: String) {
        self.logger.notice(
            message,
            [
                "client": .string(client),
                "actor": .string(actor),
                "erased.keys": .int(counts.keys),
                "erased.records": .int(counts.records),
                "erased.answers": .int(counts.answers),
                "erased.open_calls": .int(counts.openCalls),
            ]
        )
    }
}
