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
    }

    /// The most items; more are refused.
    static let capacity = 10_000

    private var items: [Item] = []

    /// The number of items that wait.
    var count: Int { self.items.count }

    /// Appends items; false, and nothing appended, when there is no room.
    mutating func append(_ items: [Item]) -> Bool {
        guard self.items.count + items.count <= Self.capacity else { return false }
        self.items.append(contentsOf: items)
        return true
    }

    /// The first fault that is for a path; it is used up once.
    mutating func take(for path: String) -> (text: String, fault: Fault)? {
        guard let index = self.items.firstIndex(where: { $0.match.map(path.hasPrefix) ?? true }) else { return nil }
        let item = self.items[index]
        if item.times <= 1 {
            self.items.remove(at: index)
        } else {
            self.items[index].times -= 1
        }
        return (item.text, item.fault)
    }

    /// Forgets all.
    mutating func removeAll() {
        self.items.removeAll()
    }
}
