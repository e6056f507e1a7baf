internal import GatewayCore
internal import Locking

/// Whether the gateway should be given work, and why not.
final class Readiness: Sendable {
    /// Why no work should come.
    enum Reason: String, CaseIterable, Sendable {
        /// Start-up is not finished.
        case starting
        /// The daemon was told to stop.
        case draining
        /// The store takes no writes, so paid calls are refused.
        case store
        /// The disk has less room than `limits.minimumFreeDisk`, so paid calls are refused.
        case disk
        /// An event loop is stuck.
        case loops
        /// No platform account takes calls, as far as the platform has said.
        case accounts
    }

    /// The stages of a daemon's life.
    enum Stage: Sendable {
        case starting, serving, draining
    }

    private let stage = Locked(Stage.starting)
    private let isStoreWritable: @Sendable () -> Bool
    private let isDiskLow: @Sendable () -> Bool
    private let areLoopsTurning: @Sendable () -> Bool
    /// How the platform accounts stand.
    let accounts: @Sendable () -> [AccountStatus]

    init(
        isStoreWritable: @escaping @Sendable () -> Bool,
        isDiskLow: @escaping @Sendable () -> Bool,
        areLoopsTurning: @escaping @Sendable () -> Bool,
        accounts: @escaping @Sendable () -> [AccountStatus]
    ) {
        self.isStoreWritable = isStoreWritable
        self.isDiskLow = isDiskLow
        self.areLoopsTurning = areLoopsTurning
        self.accounts = accounts
    }

    /// Goes on to a stage.
    func enter(_ stage: Stage) {
        self.stage.withLock { $0 = stage }
    }

    /// All reasons against work, none when ready.
    var reasons: [Reason] {
        var reasons: [Reason] = []
        switch self.stage.withLock({ $0 }) {
        case .starting: reasons.append(.starting)
        case .draining: reasons.append(.draining)
        case .serving: break
        }
        if !self.isStoreWritable() { reasons.append(.store) }
        if self.isDiskLow() { reasons.append(.disk) }
        if !self.areLoopsTurning() { reasons.append(.loops) }
        if !self.accounts().contains(where: \.isUsable) { reasons.append(.accounts) }
        return reasons
    }
}
