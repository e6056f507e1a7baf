import Cryptography
import GatewayCore
import Testing

@testable import Daemon

@Suite struct ReadinessTests {
    @Test(arguments: [
        (Readiness.Stage.serving, true, true, true, [Readiness.Reason]()),
        (.starting, true, true, true, [.starting]),
        (.draining, true, true, true, [.draining]),
        (.serving, false, true, true, [.store]),
        (.serving, true, false, true, [.loops]),
        (.serving, true, true, false, [.accounts]),
        (.draining, false, false, false, [.draining, .store, .loops, .accounts]),
    ])
    func everyReasonAgainstWorkIsNamed(
        stage: Readiness.Stage,
        isStoreWritable: Bool,
        areLoopsTurning: Bool,
        hasReadyAccount: Bool,
        reasons: [Readiness.Reason]
    ) {
        let settings = Account.Settings(secretKey: Secret("s"))
        let pool = AccountPool(hasReadyAccount ? [Account(name: "main", appKey: "k", settings: settings)] : [])
        let readiness = Readiness(
            isStoreWritable: { isStoreWritable },
            areLoopsTurning: { areLoopsTurning },
            accounts: { pool.status() }
        )
        readiness.enter(stage)
        #expect(readiness.reasons == reasons)
    }

    @Test func aDaemonBeginsUnready() {
        let readiness = Readiness(
            isStoreWritable: { true },
            areLoopsTurning: { true },
            accounts: { AccountPool([]).status() }
        )
        #expect(readiness.reasons == [.starting, .accounts])
    }
}
