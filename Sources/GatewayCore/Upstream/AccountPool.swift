internal import Locking

/// Our accounts at one platform, best first, as they stand in the configuration now.
public final class AccountPool: Sendable {
    private let accounts: Locked<[Account]>

    /// Takes accounts, best first.
    public init(_ accounts: [Account]) {
        self.accounts = Locked(accounts)
    }

    /// All accounts, best first.
    public var all: [Account] { self.accounts.withLock { $0 } }

    /// The account of an app key, which alone knows its calls and records.
    public func account(withAppKey appKey: String) -> Account? {
        self.all.first { $0.appKey == appKey }
    }

    /// The accounts of a kind, best first.
    func accounts(of kind: Account.Kind) -> [Account] {
        self.all.filter { $0.settings.kind == kind }
    }

    /// Takes over a list from another configuration.
    ///
    /// An account that stays keeps its slots and what it has learned of the platform's clock; one that goes ends with its running calls.
    public func replace(with accounts: [Account], clock: GatewayClock = .system) {
        let now = clock.now()
        self.accounts.withLock { current in
            current = accounts.map { account in
                guard let known = current.first(where: { $0.appKey == account.appKey && $0.name == account.name })
                else {
                    return account
                }
                known.change(to: account.settings, at: now)
                return known
            }
        }
    }

    /// How all accounts stand.
    public func status(clock: GatewayClock = .system) -> [AccountStatus] {
        let now = clock.now()
        return self.all.map { $0.status(at: now) }
    }
}
