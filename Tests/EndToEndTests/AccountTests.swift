import Foundation
import TestSupport
import Testing

/// Several accounts at the platform: which one carries a call, and when the next one may.
@Suite struct AccountTests {
    private static func bed(
        _ accounts: [TestBed.PlatformAccount] = [.init(name: "first"), .init(name: "second")],
        configure: (inout TestBed.Settings) -> Void = { _ in }
    ) async throws -> TestBed {
        var settings = TestBed.Settings()
        settings.accounts = accounts
        configure(&settings)
        return try await TestBed(settings)
    }

    /// The app keys of the requests that the platform saw, in their order.
    private static func carriers(_ bed: TestBed) async throws -> [String] {
        try await bed.platformLog().compactMap { $0["appKey"] as? String }
    }

    private static func states(_ bed: TestBed) async throws -> (status: Int, states: [String]) {
        let response = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/readyz")
        let accounts = JSONText.object(response.body)?["accounts"] as? [[String: Any]] ?? []
        return (response.status, accounts.compactMap { $0["state"] as? String })
    }

    @Test(arguments: [
        ("status:400:code=1012", "disabled"),
        ("status:409:code=40902", "exhausted"),
        ("status:400:code=1310", "exhausted"),
        ("status:400:code=2012", "exhausted"),
        ("status:429:code=42903", "exhausted"),
        ("status:401:code=2010", "refused"),
    ])
    func theNextAccountCarriesWhatTheFirstCannot(fault: String, state: String) async throws {
        let bed = try await Self.bed()
        try await bed.faults(fault)
        let response = try await bed.evaluate(key: "a")
        #expect(response.status == 200 && response["speechgate-attempts"] == "2", "\(response.text)")
        let readiness = try await Self.states(bed)
        #expect(readiness.status == 200 && readiness.states == [state, "usable"])
        // The next call knows already.
        #expect(try await bed.evaluate(key: "b")["speechgate-attempts"] == "1")
        #expect(try await Self.carriers(bed) == ["ak_first", "ak_second", "ak_second"])
        #expect(try await bed.evaluate(key: "a")["idempotency-replayed"] == "true")
        #expect(try await bed.billed() == 2)
        let metrics = try await TestHTTPClient.exchange(port: bed.operationsPort, "GET", "/metrics").text
        #expect(metrics.contains(#"speechgate_account_usable{account="first"} 0"#))
        #expect(metrics.contains(#"speechgate_account_usable{account="second"} 1"#))
        #expect(metrics.contains("speechgate_account_failovers_total 1\n"))
        await bed.stop()
    }

    @Test(arguments: ["bill-drop", "status:500:code=50000", "status:403:code=40300", "status:400:code=40001"])
    func nothingElseGoesToTheNextAccount(fault: String) async throws {
        let bed = try await Self.bed { $0.yugu["attempts"] = "1" }
        try await bed.faults(fault)
        let response = try await bed.evaluate(key: "a")
        #expect(response.status >= 400)
        #expect(try await Self.carriers(bed) == ["ak_first"])
        await bed.stop()
    }

    @Test func aDoubtKeepsACallOnItsAccountAlsoWhenThatIsDisabled() async throws {
        let bed = try await Self.bed()
        try await bed.faults("bill-drop", "status:400:code=1012")
        let first = try await bed.evaluate(key: "a")
        #expect(first.status == 400 && first.json("code") == "1012", "\(first.text)")
        #expect(try await bed.evaluate(key: "b").status == 200)
        // The key is in doubt: its own account alone can tell, and does.
        let again = try await bed.evaluate(key: "a")
        #expect(again.status == 200, "\(again.text)")
        #expect(try await Self.carriers(bed) == ["ak_first", "ak_first", "ak_second", "ak_first"])
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }

    @Test func whenAllAreOutThePlatformsOwnWordPasses() async throws {
        let bed = try await Self.bed()
        try await bed.faults("status:400:code=1310", "status:409:code=40902", "status:409:code=40902")
        let response = try await bed.evaluate(key: "a")
        #expect(response.status == 409 && response.json("code") == "40902", "\(response.text)")
        let readiness = try await Self.states(bed)
        #expect(readiness.status == 503 && readiness.states == ["exhausted", "exhausted"])
        // Nobody else is left, so the first is asked; what it answers makes it usable again.
        #expect(try await bed.evaluate(key: "b").json("code") == "40902")
        #expect(try await bed.evaluate(key: "c").status == 200)
        #expect(try await Self.states(bed).states == ["usable", "exhausted"])
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func aMovedCallIsFoundOnItsNewAccountAfterACrash() async throws {
        let bed = try await Self.bed()
        try await bed.faults("status:400:code=1012", "hang")
        let running = Task { try? await bed.evaluate(key: "a") }
        try await until("both accounts are asked") { try await bed.platformLog().count == 2 }
        try await bed.killAndRestart()
        _ = await running.value
        // The first account is first again after a restart, but the key sticks to the second.
        let response = try await bed.evaluate(key: "a")
        #expect(response.status == 200, "\(response.text)")
        #expect(try await Self.carriers(bed) == ["ak_first", "ak_second", "ak_second"])
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func clientsUseTheKindOfAccountThatTheyAreGiven() async throws {
        let accounts = [
            TestBed.PlatformAccount(name: "paid"), TestBed.PlatformAccount(name: "trial", members: #"kind: "sandbox""#),
        ]
        let bed = try await Self.bed(accounts) {
            $0.gateway["limits"] = #"{ clients: { school: { accountKind: "sandbox" } } }"#
        }
        #expect(try await bed.evaluate(key: "a").status == 200)
        // Production is no way out for a client of the sandbox.
        try await bed.faults("status:429:code=42903")
        #expect(try await bed.evaluate(key: "b").json("code") == "42903")
        #expect(try await Self.carriers(bed) == ["ak_trial", "ak_trial"])
        await bed.stop()
    }

    @Test func anAccountWhoseOwnQuotaIsUsedUpIsPassedOver() async throws {
        let accounts = [
            TestBed.PlatformAccount(name: "first", members: "daily: { calls: 2 }"),
            TestBed.PlatformAccount(name: "second"),
        ]
        let bed = try await Self.bed(accounts)
        let answers = try await LimitTests.rush(10, on: bed)
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.status))")
        let carriers = try await Self.carriers(bed)
        #expect(carriers.filter { $0 == "ak_first" }.count == 2)
        #expect(try await bed.billed() == 10)
        await bed.stop()
    }

    @Test func aRouteThatFailsIsLeftAloneForAWhile() async throws {
        let bed = try await Self.bed([.init(name: "main")]) {
            $0.yugu["attempts"] = "1"
            $0.yugu["breaker"] = #"{ minimumCalls: 3, openTime: "3s" }"#
        }
        try await bed.faults("status:500:code=50000", "status:500:code=50000", "status:500:code=50000")
        for key in ["a", "b", "c"] { #expect(try await bed.evaluate(key: key).status == 500) }
        let held = try await bed.evaluate(key: "d")
        #expect(held.status == 502 && held.json("reason") == "platform_failing", "\(held.text)")
        #expect(held["retry-after"].flatMap { Int($0) }.map { (1...3).contains($0) } == true)
        let readiness = try await Self.states(bed)
        #expect(readiness.status == 200 && readiness.states == ["held"])
        #expect(try await Self.carriers(bed).count == 3)
        try await until("it is tried again") { try await bed.evaluate(key: "d").status == 200 }
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    /// Changes an account at the platform; members as the simulator takes them.
    private static func change(_ account: String, _ members: String, at bed: TestBed) async throws {
        let response = try await TestHTTPClient.exchange(
            port: bed.simulatorPort,
            "POST",
            "/__sim/accounts",
            fields: [("Content-Type", "application/json")],
            body: Array(#"{"accounts":[{"appKey":"ak_\#(account)",\#(members)}]}"#.utf8)
        )
        #expect(response.status == 200, "\(response.text)")
    }

    @Test(arguments: ["keyExpired", "keyDisabled", "disabled", "frozen", "noBalance", "noQuota"])
    func anAccountThatFallsOutLosesNoCallAndIsBackAfterAReload(standing: String) async throws {
        let bed = try await Self.bed()
        #expect(try await bed.evaluate(key: "before").status == 200)
        try await Self.change("first", #""standing":"\#(standing)""#, at: bed)
        let answers = try await LimitTests.rush(20, on: bed)
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers.map(\.text))")
        // What the first account answered is replayed from here, whatever its standing.
        #expect(try await bed.evaluate(key: "before")["idempotency-replayed"] == "true")
        try await Self.change("first", #""standing":"active""#, at: bed)
        #expect(try await bed.speechgate("reload").status == 0)
        #expect(try await bed.evaluate(key: "after").status == 200)
        #expect(try await Self.carriers(bed).last == "ak_first")
        #expect(try await bed.billed() == 22)
        await bed.stop()
    }

    @Test func thePlatformsOwnDayIsUsedToItsLastCallOnEachAccount() async throws {
        let accounts = ["one", "two"].map { TestBed.PlatformAccount(name: $0, members: #"kind: "sandbox""#) }
        let bed = try await Self.bed(accounts) {
            $0.gateway["limits"] = #"{ client: { accountKind: "sandbox" } }"#
            $0.simulator += ["--daily-limit", "5"]
        }
        let answers = try await LimitTests.rush(50, on: bed)
        #expect(answers.filter { $0.status == 200 }.count == 10, "\(answers.map(\.status))")
        #expect(answers.allSatisfy { $0.status == 200 || $0.json("code") == "42903" })
        #expect(try await bed.billed() == 10)
        #expect(try await Self.states(bed).states == ["exhausted", "exhausted"])
        await bed.stop()
    }
}
