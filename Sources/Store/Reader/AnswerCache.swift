internal import Locking

/// The answers and reports used last, bounded in bytes, found by key scope and by record id.
///
/// Only the writer removes what changed, and it does so after its commit. A reader that looked at the database before that
/// commit must not put back what was removed meanwhile: it passes the ``Epoch`` of before its read.
final class AnswerCache: Sendable {
    /// Counts removals.
    struct Epoch: Equatable {
        fileprivate var value: UInt64 = 0
    }

    /// An answer as it is found: under a key, as a record, or both; and a record as its report is asked for.
    fileprivate struct Entry {
        var key: KeyRow?
        var record: RecordRow?
        var report: ReportRow?
        var cost = 0
        /// Neighbours in the order of use; the entry's own index stands for none.
        var older = 0
        var newer = 0

        var recordID: String? { self.record?.recordID ?? self.report?.recordID }

        /// Whose it is: key, record and report of one entry are of one owner.
        var owner: (client: String, user: String?)? {
            if let key { return (key.client, key.user) }
            if let record { return (record.client, record.user) }
            return self.report.map { ($0.client, $0.user) }
        }

        func isOf(_ client: String, _ user: String?) -> Bool {
            self.owner.map { $0.client == client && $0.user == user } ?? false
        }
    }

    fileprivate struct State {
        var entries: [Entry?] = []
        var free: [Int] = []
        var byScope: [ScopeHash: Int] = [:]
        var byRecord: [String: Int] = [:]
        var oldest: Int?
        var newest: Int?
        var cost = 0
        var epoch = Epoch()
        var hits = 0
    }

    /// What an entry costs beside its body and texts: measured roughly, tables included.
    private static let overhead = 512

    private let capacity: Int
    private let state = Locked(State())

    /// - Parameter capacity: In bytes; 0 keeps nothing.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The bytes in use, and how often an answer was found.
    var statistics: (bytes: Int, hits: Int) {
        self.state.withLock { ($0.cost, $0.hits) }
    }

    /// The epoch to pass to `insert` after a read that starts now.
    var epoch: Epoch {
        self.state.withLock { $0.epoch }
    }

    func key(_ scope: ScopeHash) -> KeyRow? {
        self.state.withLock { (state) -> KeyRow? in
            guard let index = state.byScope[scope] else {
                return nil
            }
            state.hits += 1
            state.touch(index)
            return state.entries[index]?.key
        }
    }

    func record(_ recordID: String) -> RecordRow? {
        self.entry(ofRecord: recordID, \.record)
    }

    func report(_ recordID: String) -> ReportRow? {
        self.entry(ofRecord: recordID, \.report)
    }

    private func entry<Row>(ofRecord recordID: String, _ row: KeyPath<Entry, Row?>) -> Row? {
        self.state.withLock { (state) -> Row? in
            guard let index = state.byRecord[recordID], let row = state.entries[index]?[keyPath: row] else {
                return nil
            }
            state.hits += 1
            state.touch(index)
            return row
        }
    }

    /// Keeps an answer, unless something was removed since `epoch`.
    func insert(key: KeyRow?, record: RecordRow?, since epoch: Epoch) {
        self.state.withLock { (state) in
            if state.epoch == epoch {
                self.insert(Entry(key: key, record: record), into: &state)
            }
        }
    }

    /// Keeps a record as its report is asked for, beside its answer, unless something was removed since `epoch`.
    ///
    /// Two owners can have records of one id, where the platform took their calls for one; the one asked for last is
    /// kept.
    func insert(report: ReportRow, since epoch: Epoch) {
        self.state.withLock { (state) in
            guard state.epoch == epoch else { return }
            if let index = state.byRecord[report.recordID], var entry = state.entries[index],
                entry.isOf(report.client, report.user)
            {
                state.remove(index)
                entry.report = report
                self.insert(entry, into: &state)
            } else {
                self.insert(Entry(report: report), into: &state)
            }
        }
    }

    /// Does what a commit left to be done.
    func apply(_ effects: [WriterConnection.Effect]) {
        guard !effects.isEmpty else {
            return
        }
        self.state.withLock { (state) in
            for effect in effects {
                switch effect {
                case .fill(let key, let record):
                    self.insert(Entry(key: key, record: record), into: &state)
                case .purgeKey(let scope):
                    state.epoch.value += 1
                    if let index = state.byScope[scope] {
                        state.remove(index)
                    }
                case .purgeRecord(let recordID):
                    state.epoch.value += 1
                    if let index = state.byRecord[recordID] {
                        state.remove(index)
                    }
                case .purgeReport(let recordID):
                    state.epoch.value += 1
                    if let index = state.byRecord[recordID], var entry = state.entries[index] {
                        state.remove(index)
                        entry.report = nil
                        self.insert(entry, into: &state)
                    }
                case .purgeUser(let user):
                    state.epoch.value += 1
                    for index in state.entries.indices where state.entries[index]?.isOf(user.client, user.user) == true
                    {
                        state.remove(index)
                    }
                }
            }
        }
    }

    func removeAll() {
        self.state.withLock { state in
            let epoch = state.epoch.value
            state = State()
            state.epoch.value = epoch + 1
        }
    }

    private func insert(_ entry: Entry, into state: inout State) {
        var entry = entry
        entry.cost = Self.cost(of: entry)
        // One answer must not drive out all others.
        guard entry.recordID != nil || entry.key != nil, entry.cost <= self.capacity / 4 else {
            return
        }
        if let key = entry.key, let index = state.byScope[key.scope] {
            state.remove(index)
        }
        if let recordID = entry.recordID, let index = state.byRecord[recordID] {
            state.remove(index)
        }
        while state.cost + entry.cost > self.capacity, let oldest = state.oldest {
            state.remove(oldest)
        }
        state.add(entry)
    }

    private static func cost(of entry: Entry) -> Int {
        var cost = Self.overhead
        // Key and record share one body.
        cost += (entry.key?.answer ?? entry.record?.answer)?.body.count ?? 0
        if let key = entry.key {
            cost += key.client.utf8.count + (key.user?.utf8.count ?? 0) + key.key.utf8.count
            cost += key.fingerprint.count + key.appKey.utf8.count + key.upstreamKey.utf8.count
        }
        if let record = entry.record {
            cost += record.client.utf8.count + (record.user?.utf8.count ?? 0) + record.key.utf8.count
            cost += 2 * record.recordID.utf8.count
        }
        if let report = entry.report {
            cost += report.client.utf8.count + (report.user?.utf8.count ?? 0) + report.appKey.utf8.count
            cost += 2 * report.recordID.utf8.count + (report.report?.body.count ?? 0)
        }
        return cost
    }
}

extension AnswerCache.State {
    fileprivate mutating func add(_ new: AnswerCache.Entry) {
        let index: Int
        if let free = self.free.popLast() {
            index = free
            self.entries[index] = new
        } else {
            index = self.entries.count
            self.entries.append(new)
        }
        self.cost += new.cost
        if let key = new.key {
            self.byScope[key.scope] = index
        }
        if let recordID = new.recordID {
            self.byRecord[recordID] = index
        }
        self.append(index)
    }

    fileprivate mutating func remove(_ index: Int) {
        self.unlink(index)
        guard let entry = self.entries[index] else {
            return
        }
        self.cost -= entry.cost
        if let key = entry.key {
            self.byScope[key.scope] = nil
        }
        if let recordID = entry.recordID {
            self.byRecord[recordID] = nil
        }
        self.entries[index] = nil
        self.free.append(index)
    }

    /// Makes the entry the one used last.
    fileprivate mutating func touch(_ index: Int) {
        guard self.newest != index else {
            return
        }
        self.unlink(index)
        self.append(index)
    }

    private mutating func append(_ index: Int) {
        self.entries[index]?.newer = index
        self.entries[index]?.older = self.newest ?? index
        if let newest = self.newest {
            self.entries[newest]?.newer = index
        } else {
            self.oldest = index
        }
        self.newest = index
    }

    private mutating func unlink(_ index: Int) {
        guard let entry = self.entries[index] else {
            return
        }
        let older = entry.older == index ? nil : entry.older
        let newer = entry.newer == index ? nil : entry.newer
        if let older {
            self.entries[older]?.newer = newer ?? older
        } else {
            self.oldest = newer
        }
        if let newer {
            self.entries[newer]?.older = older ?? newer
        } else {
            self.newest = older
        }
    }
}
