/// Faults that wait for the requests they are meant for.
struct FaultQueue: Sendable {
    /// A fault with the paths it is for.
    struct Item: Sendable {
        /// How the path begins; nil for every path.
        var match: String?
        /// The text of the fault, as it stands in the log.
        var text: String
        var fault: Fault
        /// How many requests it is still good for.
        var times: Int

        /// How many bytes it serves.
        fileprivate var servedBytes: Int {
            if case .serve(let file) = self.fault { file.body.count } else { 0 }
        }
    }

    /// The most items; more are refused.
    static let capacity = 10_000
    /// The most bytes that wait to be served; more are refused.
    static let servedCapacity = 64 << 20

    private var items: [Item] = []
    private var servedBytes = 0

    /// The number of items that wait.
    var count: Int { self.items.count }

    /// Appends items; false, and nothing appended, when there is no room.
    mutating func append(_ items: [Item]) -> Bool {
        let bytes = items.reduce(self.servedBytes) { $0 + $1.servedBytes }
        guard self.items.count + items.count <= Self.capacity, bytes <= Self.servedCapacity else { return false }
        self.servedBytes = bytes
        self.items.append(contentsOf: items)
        return true
    }

    /// The first fault that is for a path; it is used up once.
    ///
    /// - Parameter isSession: Whether it is for a realtime session; other requests leave those of sessions alone.
    mutating func take(for path: String, isSession: Bool = false) -> (text: String, fault: Fault)? {
        let index = self.items.firstIndex { item in
            if case .session = item.fault, !isSession { return false }
            return item.match.map(path.hasPrefix) ?? true
        }
        guard let index else { return nil }
        let item = self.items[index]
        if item.times <= 1 {
            self.items.remove(at: index)
            self.servedBytes -= item.servedBytes
        } else {
            self.items[index].times -= 1
        }
        return (item.text, item.fault)
    }

    /// Forgets all.
    mutating func removeAll() {
        self.items.removeAll()
        self.servedBytes = 0
    }
}

extension FaultQueue.Item {
    /// Bytes that are answered as they are.
    init(file: [UInt8], status: Int, contentType: String, match: String?, times: Int) {
        let fault = Fault.serve(Fault.ServedFile(status: status, contentType: contentType, body: file))
        self.init(match: match, text: "serve:\(status):\(file.count) bytes", fault: fault, times: times)
    }
}
