import Cryptography
import GatewayCore
import Testing

@testable import Daemon

@Suite struct ReadinessTests {
    @Test(arguments: [
        (Readiness.Stage.serving, true, true, [Readiness.Reason]()),
        (.starting, true, true, [.starting]),
        (.draining, true, true, [.draining]),
        (.serving, false, true, [.store]),
        (.serving, true, false, [.accounts]),
        (.draining, false, false, [.draining, .store, .accounts]),
    ])
    func everyReasonAgainstWorkIsNamed(
        stage: Readiness.Stage,
        isStoreWritable: Bool,
        hasReadyAccount: Bool,
        reasons: [Readiness.Reason]
    ) {
        let settings = Account.Settings(secretKey: Secret("s"))
        let pool = AccountPool(hasReadyAccount ? [Account(name: "main", appKey: "k", settings: settings)] : [])
        let readiness = Readiness(isStoreWritable: { isStoreWritable }, accounts: { pool.status() })
        readiness.enter(stage)
        #expect(readiness.reasons == reasons)
    }

    @Test func aDaemonBeginsUnready() {
        #expect(
            Readiness(isStoreWritable: { true }, accounts: { AccountPool([]).status() }).reasons == [
                .starting, .accounts,
            ]
        )
    }
}
