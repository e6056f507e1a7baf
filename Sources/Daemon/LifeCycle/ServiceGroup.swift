/// The parts of a running daemon, each with what ends it; they end in the reverse of the order they began in.
actor ServiceGroup {
    private struct Entry {
        let name: StaticString
        let stop: @Sendable () async -> Void
    }

    private var entries: [Entry] = []

    /// Takes charge of a part that has begun.
    ///
    /// - Parameters:
    ///   - name: For debugging.
    ///   - stop: Ends it; called once.
    func add(_ name: StaticString, stop: @escaping @Sendable () async -> Void) {
        self.entries.append(Entry(name: name, stop: stop))
    }

    /// Ends all parts, the youngest first.
    func stop() async {
        while let entry = self.entries.popLast() {
            await entry.stop()
        }
    }
}
