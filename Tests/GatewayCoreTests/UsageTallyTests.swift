import HTTPWire
import Store
import Testing

@testable import GatewayCore

@Suite struct UsageTallyTests {
    private let tally = UsageTally()

    private func key(_ user: String) -> UsageKey {
        UsageKey(at: 0, client: "school", user: user, operation: "evaluate")
    }

    private func count(_ entry: UsageTally.Entry) {
        self.tally.count(entry, response: HTTPResponse(status: HTTPStatus(200)))
    }

    private func flush() -> [UsageKey: UsageCounts] {
        var rows: [UsageKey: UsageCounts] = [:]
        while let part = self.tally.take() {
            #expect(part.rows.count <= 512)
            rows.merge(part.rows) { $0 + $1 }
            self.tally.finish(part, isWritten: true)
        }
        return rows
    }

    @Test func whatIsTakenInPartsIsWholeAndTakenOnce() {
        for number in 0..<1300 { self.count(self.tally.enter(self.key("u\(number)"))) }
        let rows = self.flush()
        #expect(rows.count == 1300 && rows.values.allSatisfy { $0.calls == 1 })
        #expect(self.flush().isEmpty)
    }

    @Test func aPartThatCouldNotBeWrittenNamesNobodyWhoWasErasedMeanwhile() throws {
        for user in ["anna", "ben"] { self.count(self.tally.enter(self.key(user))) }
        let part = try #require(self.tally.take())
        self.tally.makeAnonymous(client: "school", user: "anna")
        // Others that are erased do not make it forget.
        self.tally.makeAnonymous(client: "school", user: "carl")
        self.tally.finish(part, isWritten: false)
        #expect(Set(self.flush().keys) == [self.key("ben"), self.key("").anonymous])
    }

    @Test func aRequestThatEndsAfterTheErasureIsCountedWithoutItsUser() {
        let before = self.tally.enter(self.key("anna"))
        self.tally.makeAnonymous(client: "school", user: "anna")
        let after = self.tally.enter(self.key("anna"))
        self.count(after)
        self.count(before)
        let rows = self.flush()
        #expect(rows[self.key("anna")]?.calls == 1 && rows[self.key("").anonymous]?.calls == 1)
    }
}

extension UsageCounts {
    fileprivate static func + (first: UsageCounts, second: UsageCounts) -> UsageCounts {
        var sum = first
        sum += second
        return sum
    }
}
