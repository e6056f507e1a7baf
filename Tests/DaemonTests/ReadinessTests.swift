import Cryptography
import GatewayCore
import Testing

@testable import Daemon

@Suite struct ReadinessTests {
    @Test(
        arguments: [
            (.serving, []), (.starting, []), (.draining, []), (.serving, [.store]), (.serving, [.disk]),
            (.serving, [.loops]), (.serving, [.accounts]), (.draining, [.store, .disk, .loops, .accounts]),
        ] as [(Readiness.Stage, Set<Readiness.Reason>)]
    )
    func everyReasonAgainstWorkIsNamed(stage: Readiness.Stage, faults: Set<Readiness.Reason>) {
        let settings = Account.Settings(secretKey: Secret("s"))
        let account = Account(name: "main", appKey: "k", settings: settings)
        let pool = AccountPool(faults.contains(.accounts) ? [] : [account])
        let readiness = Readiness(
            isStoreWritable: { !faults.contains(.store) },
            isDiskLow: { faults.contains(.disk) },
            areLoopsTurning: { !faults.contains(.loops) },
            accounts: { pool.status() }
        )
        readiness.enter(stage)
        let reasons = readiness.reasons
        switch stage {
        case .starting: #expect(reasons.first == .starting)
        case .draining: #expect(reasons.first == .draining)
        case .serving: #expect(!reasons.contains(.starting) && !reasons.contains(.draining))
        }
        #expect(Set(reasons).subtracting([.starting, .draining]) == faults)
    }

    @Test func aDaemonBeginsUnready() {
        let readiness = Readiness(
            isStoreWritable: { true },
            isDiskLow: { false },
            areLoopsTurning: { true },
            accounts: { AccountPool([]).status() }
        )
        #expect(readiness.reasons == [.starting, .accounts])
    }
}
