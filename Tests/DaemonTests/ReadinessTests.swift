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
        let readiness = Readiness(isStoreWritable: { isStoreWritable }, hasReadyAccount: { hasReadyAccount })
        readiness.enter(stage)
        #expect(readiness.reasons == reasons)
    }

    @Test func aDaemonBeginsUnready() {
        #expect(Readiness(isStoreWritable: { true }, hasReadyAccount: { true }).reasons == [.starting])
    }
}
