/// One request as the simulator saw it, for tests to look at.
public struct SimulatedRequest: Sendable {
    /// The place in the order of arrival, from 1.
    public let order: Int
    /// When its last byte had come, in Unix milliseconds of the simulator's clock.
    public let time: Int
    /// The method.
    public let method: String
    /// The path, percent-encoded as received.
    public let path: String
    /// The idempotency key; of a realtime session that of its last round.
    public internal(set) var key: String?
    /// How many requests with this key had come, this one included; 0 without a key.
    public internal(set) var attempt: Int
    /// The value of `X-App-Key`, or of a handshake's `appKey`.
    public let appKey: String?
    /// The value of `X-Timestamp`, or of a handshake's `timestamp`.
    public let timestamp: String?
    /// The value of `X-Nonce`, or of a handshake's `nonce`.
    public let nonce: String?
    /// The value of `traceparent`.
    public let traceparent: String?
    /// The size of its content in bytes.
    public let bodyBytes: Int
    /// The fault that it met.
    public internal(set) var fault: String?
    /// The status of the answer; nil while there is none.
    public internal(set) var status: Int?
    /// The code of an error answer.
    public internal(set) var code: Int?
    /// Whether it was answered with an earlier result.
    public internal(set) var isReplayed = false
    /// The record that it was answered with, or that it paid for.
    public internal(set) var recordID: String?
    /// What became of a realtime session; nil for any other request, and for a handshake that was refused.
    public internal(set) var session: SimulatedSession?
}

/// One evaluation, or one text made speech, that was executed and billed.
public struct SimulatedBill: Sendable {
    /// The record's id; that of speech stands in no answer.
    public let recordID: String
    /// The idempotency key; nil without one.
    public let key: String?
    /// The account that pays.
    public let appKey: String
    /// The kind of evaluation, under the name that was asked for; `tts` for speech.
    public let coreType: String
    /// The total on the scale that was asked for.
    public let overall: Double
    /// When, in Unix milliseconds of the simulator's clock.
    public let time: Int
    /// The size of the recording in bytes; 0 for speech.
    public let audioBytes: Int
    /// The SHA-256 of the recording in hexadecimal digits; empty for speech.
    public let audioDigest: String
}

/// What the simulator counts and remembers for inspection; all of it bounded.
struct Ledger: Sendable {
    private struct KeyCount: Sendable {
        var attempts = 0
        var billed = 0
    }

    private let capacity: Int
    private let keyCapacity: Int
    private var requests: RecentList<SimulatedRequest>
    private var bills: RecentList<SimulatedBill>
    private var keys: [String: KeyCount] = [:]

    /// All executed evaluations.
    private(set) var billed = 0
    /// Executed evaluations by account; there are few of those.
    private(set) var billedByAccount: [String: Int] = [:]
    /// Realtime sessions that were let in.
    private(set) var sessions = 0
    /// Realtime sessions that have not ended.
    private(set) var openSessions = 0
    /// Whether keys came for which there was no room to count them.
    private(set) var isTruncated = false

    init(capacity: Int, keyCapacity: Int) {
        self.capacity = capacity
        self.keyCapacity = keyCapacity
        self.requests = RecentList(capacity: capacity)
        self.bills = RecentList(capacity: capacity)
    }

    /// The latest requests in order.
    var recentRequests: [SimulatedRequest] { self.requests.elements }

    /// The latest bills in order.
    var recentBills: [SimulatedBill] { self.bills.elements }

    /// Executed evaluations by key; those without a key are not in it.
    var billedByKey: [String: Int] { self.keys.mapValues(\.billed).filter { $0.value > 0 } }

    /// How often one key was billed.
    func billed(forKey key: String) -> Int { self.keys[key]?.billed ?? 0 }

    /// Notes a request.
    ///
    /// - Returns: The place of its entry.
    mutating func note(_ make: (_ order: Int, _ attempt: Int) -> SimulatedRequest, key: String?) -> Int {
        let attempt = key.map { self.count($0) { $0.attempts += 1 }?.attempts ?? 0 } ?? 0
        return self.requests.append(make(self.requests.total + 1, attempt))
    }

    /// Completes the entry of a request, unless it has been pushed out.
    mutating func update(_ place: Int, _ change: (inout SimulatedRequest) -> Void) {
        self.requests.update(place, change)
    }

    /// A realtime session was let in.
    mutating func openSession(_ place: Int) {
        self.sessions += 1
        self.openSessions += 1
        self.requests.update(place) { entry in
            entry.status = 101
            entry.session = SimulatedSession()
        }
    }

    /// Writes down what has become of a realtime session.
    mutating func update(_ place: Int, _ session: SimulatedSession) {
        var attempt: Int?
        self.requests.update(place) { entry in
            if let key = session.key, key != entry.key {
                entry.key = key
                attempt = 0
            }
            entry.session = session
            entry.code = session.code
            entry.recordID = session.recordID
            entry.isReplayed = session.isReplayed
        }
        guard attempt != nil, let key = session.key else { return }
        attempt = self.count(key) { $0.attempts += 1 }?.attempts
        self.requests.update(place) { $0.attempt = attempt ?? 0 }
    }

    /// A realtime session has ended.
    mutating func closeSession() {
        self.openSessions -= 1
    }

    /// Counts an executed evaluation.
    mutating func bill(_ bill: SimulatedBill) {
        self.billed += 1
        self.billedByAccount[bill.appKey, default: 0] += 1
        self.bills.append(bill)
        if let key = bill.key {
            _ = self.count(key) { $0.billed += 1 }
        }
    }

    /// Starts over.
    mutating func reset() {
        self = Ledger(capacity: self.capacity, keyCapacity: self.keyCapacity)
    }

    private mutating func count(_ key: String, _ change: (inout KeyCount) -> Void) -> KeyCount? {
        guard self.keys.count < self.keyCapacity || self.keys[key] != nil else {
            self.isTruncated = true
            return nil
        }
        change(&self.keys[key, default: KeyCount()])
        return self.keys[key]
    }
}

/// The last so many elements that were appended.
struct RecentList<Element: Sendable>: Sendable {
    private let capacity: Int
    private var storage: [Element] = []

    /// How many elements were appended in all.
    private(set) var total = 0

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// The elements that are kept, in order.
    var elements: [Element] {
        guard self.total > self.capacity else { return self.storage }
        let start = self.total % self.capacity
        return Array(self.storage[start...] + self.storage[..<start])
    }

    /// Appends an element, in place of the oldest when there is no room.
    ///
    /// - Returns: Its place in the order of all.
    @discardableResult
    mutating func append(_ element: Element) -> Int {
        if self.storage.count < self.capacity {
            self.storage.append(element)
        } else {
            self.storage[self.total % self.capacity] = element
        }
        self.total += 1
        return self.total - 1
    }

    /// Changes the element at a place, if it is still kept.
    mutating func update(_ place: Int, _ change: (inout Element) -> Void) {
        guard place >= self.total - self.capacity, place < self.total else { return }
        change(&self.storage[place % self.capacity])
    }
}
