internal import Locking
internal import Store

/// The daily quotas of clients, users and accounts, as calls reserve them: a lock around the counts, which the store
/// keeps across restarts.
///
/// A quota is read from the store when its first call comes. It is forgotten again when no call holds any of it and
/// there are many: users are names that clients make up.
final class QuotaLedger: Sendable {
    /// One of the quotas that a call needs.
    struct Share: Sendable {
        /// The name of the quota in the store.
        let owner: String
        /// What a day gives.
        let limits: DailyQuota.Allowance
        /// How far ahead of UTC its day begins.
        let dayOffset: Duration

        /// Whether it limits anything.
        var isLimited: Bool { self.limits != DailyQuota.Allowance() }
    }

    /// What is left of a day.
    struct Rest: Sendable {
        let allowance: DailyQuota.Allowance
        /// When the next day begins, Unix time in milliseconds.
        let resetsAt: Int64
    }

    /// Why nothing was reserved.
    enum Failure: Error, Sendable {
        /// The quota at this place in the list refuses.
        case refused(Int, DailyQuota.Refusal)
        /// Nobody knows what the day has used.
        case unreadable(StoreError)
    }

    private struct Entry {
        var quota: DailyQuota
        /// Calls that hold a reservation and have not ended.
        var holders = 0
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// Changes when entries are forgotten.
        var epoch = 0
    }

    private static let capacity = 16_384

    private let store: Store
    private let clock: GatewayClock
    private let state = Locked(State())

    init(store: Store, clock: GatewayClock) {
        self.store = store
        self.clock = clock
    }

    /// Reserves one call of each quota that has limits, or of none.
    func reserve(_ shares: [Share], audioMilliseconds: Int64) throws(Failure) -> [Reservation] {
        for share in shares where share.isLimited { try self.load(share.owner) }
        let now = self.clock.unixMilliseconds()
        return try self.state.withLock { (state) throws(Failure) in
            var reserved: [Reservation] = []
            for (index, share) in shares.enumerated() where share.isLimited {
                guard var entry = state.entries[share.owner] else { continue }
                entry.quota.adopt(share)
                do throws(DailyQuota.Refusal) {
                    let usage = try entry.quota.reserve(audioMilliseconds: audioMilliseconds, at: now)
                    reserved.append(Reservation(usage, of: share.owner))
                } catch {
                    for reservation in reserved { Self.end(reservation, in: &state) { $0.giveBack($1) } }
                    throw .refused(index, error)
                }
                entry.holders += 1
                state.entries[share.owner] = entry
            }
            return reserved
        }
    }

    /// What is left of a quota's day, and when the next one begins.
    func rest(of share: Share) throws(Failure) -> Rest {
        try self.load(share.owner)
        let now = self.clock.unixMilliseconds()
        return self.state.withLock { state in
            var quota = state.entries[share.owner]?.quota ?? DailyQuota(limits: share.limits)
            quota.adopt(share)
            return Rest(allowance: quota.remaining(at: now), resetsAt: quota.resetInstant(at: now))
        }
    }

    /// Why a quota would refuse a call now.
    ///
    /// - Returns: Nil without limits, or when the store cannot be read: whoever reserves then learns so.
    func refusal(of share: Share, audioMilliseconds: Int64) -> DailyQuota.Refusal? {
        guard share.isLimited, (try? self.load(share.owner)) != nil else { return nil }
        let now = self.clock.unixMilliseconds()
        return self.state.withLock { (state) -> DailyQuota.Refusal? in
            guard var quota = state.entries[share.owner]?.quota else { return nil }
            quota.adopt(share)
            do throws(DailyQuota.Refusal) {
                _ = try quota.reserve(audioMilliseconds: audioMilliseconds, at: now)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Takes charge of what an earlier flight of the same call reserved and the store still has.
    ///
    /// Their quotas are read now if they are not in memory: read later, they would know already what comes back, and
    /// learn of it a second time.
    ///
    /// - Returns: What is to be ended; without those whose quota cannot be read, which the store alone keeps.
    @discardableResult
    func adopt(_ reservations: [Reservation]) -> [Reservation] {
        reservations.filter { reservation in
            while (try? self.load(reservation.owner)) != nil {
                let isHeld = self.state.withLock { state in
                    // Forgotten again meanwhile where there are many.
                    guard state.entries[reservation.owner] != nil else { return false }
                    state.entries[reservation.owner]?.holders += 1
                    return true
                }
                if isHeld { return true }
            }
            return false
        }
    }

    /// Ends reservations of calls that were executed.
    ///
    /// - Parameter audioMilliseconds: What the call took; nil when that is what was reserved, as far as is known.
    func settle(_ reservations: [Reservation], audioMilliseconds: Int64?) {
        self.end(reservations) { quota, usage in
            if let audioMilliseconds { _ = quota.settle(usage, audioMilliseconds: audioMilliseconds) }
        }
    }

    /// Ends reservations of calls that were not executed.
    func giveBack(_ reservations: [Reservation]) {
        self.end(reservations) { $0.giveBack($1) }
    }

    /// Lets go of reservations that stay: the outcome of their call is unknown.
    func keep(_ reservations: [Reservation]) {
        self.end(reservations) { _, _ in }
    }

    private func end(_ reservations: [Reservation], _ change: (inout DailyQuota, DayUsage) -> Void) {
        guard !reservations.isEmpty else { return }
        self.state.withLock { state in
            for reservation in reservations { Self.end(reservation, in: &state, change) }
        }
    }

    private static func end(
        _ reservation: Reservation,
        in state: inout State,
        _ change: (inout DailyQuota, DayUsage) -> Void
    ) {
        guard var entry = state.entries[reservation.owner] else { return }
        change(&entry.quota, DayUsage(reservation))
        entry.holders = max(0, entry.holders - 1)
        state.entries[reservation.owner] = entry
    }

    /// Makes a quota known that is not.
    private func load(_ owner: String) throws(Failure) {
        while true {
            let (isKnown, epoch) = self.state.withLock { ($0.entries[owner] != nil, $0.epoch) }
            guard !isKnown else { return }
            let days: [DayUsage]
            do throws(StoreError) {
                days = try self.store.dayTotals(of: owner).map(DayUsage.init)
            } catch {
                throw .unreadable(error)
            }
            let isLoaded = self.state.withLock { state in
                // What was read is out of date if the quota was used and forgotten meanwhile.
                guard state.epoch == epoch else { return false }
                if state.entries[owner] == nil {
                    Self.makeRoom(in: &state)
                    // Whoever reserves says what it gives and when its day begins.
                    let quota = DailyQuota(limits: DailyQuota.Allowance(), restoring: days)
                    state.entries[owner] = Entry(quota: quota)
                }
                return true
            }
            if isLoaded { return }
        }
    }

    private static func makeRoom(in state: inout State) {
        guard state.entries.count >= Self.capacity else { return }
        state.entries = state.entries.filter { $0.value.holders > 0 }
        state.epoch += 1
    }
}

extension DailyQuota {
    fileprivate mutating func adopt(_ share: QuotaLedger.Share) {
        self.limits = share.limits
        self.dayOffset = share.dayOffset
    }
}

extension DayUsage {
    fileprivate init(_ reservation: Reservation) {
        self.init(day: reservation.day, calls: 1, audioMilliseconds: reservation.audioMilliseconds)
    }

    fileprivate init(_ total: DayTotal) {
        self.init(day: total.day, calls: total.calls, audioMilliseconds: total.audioMilliseconds)
    }
}

extension Reservation {
    fileprivate init(_ usage: DayUsage, of owner: String) {
        self.init(owner: owner, day: usage.day, audioMilliseconds: usage.audioMilliseconds)
    }
}
