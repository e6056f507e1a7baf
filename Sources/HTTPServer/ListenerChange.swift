/// A change of what a server listens on, half made: the added addresses are listened on, and none is given up yet.
public struct ListenerChange: Sendable {
    /// What a change has to do, by addresses.
    struct Plan: Equatable {
        /// In their order.
        var added: [ListenAddress] = []
        /// Where in the current list those are that stay, in the order of the new one.
        var kept: [Int] = []
        /// Where in the current list those are that go.
        var removed: [Int]

        /// Compares by what was asked for, not by what came of it: port 0 stays the port that it was given.
        init(from current: [ListenAddress], to wanted: [ListenAddress]) {
            self.removed = Array(current.indices)
            for address in wanted {
                if let index = self.removed.firstIndex(where: { current[$0] == address }) {
                    self.kept.append(self.removed.remove(at: index))
                } else {
                    self.added.append(address)
                }
            }
        }
    }

    /// What is listened on when the change is finished.
    let listeners: [Listener]
    let added: [Listener]
    let removed: [Listener]

    init(_ plan: Plan, current: [Listener], added: [Listener]) {
        self.listeners = plan.kept.map { current[$0] } + added
        self.added = added
        self.removed = plan.removed.map { current[$0] }
    }
}
