import Store
import TestSupport
import Testing

@Suite struct TokenTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(in: self.directory)
    }

    private static func claim(_ number: UInt64, token: String = "t", maximum: Int = 2) -> NewClaim {
        var claim = NewClaim.sample(number)
        claim.token = TokenUse(tokenID: token, maximumCalls: maximum, expiresAt: someDay + day)
        return claim
    }

    @Test func callsAreCountedWithTheirClaimsAndSurviveARestart() async throws {
        _ = try await self.store.claim(Self.claim(1))
        _ = try await self.store.claim(Self.claim(1))
        #expect(try self.store.tokenCalls("t") == 1, "the same key is the same call")
        await self.store.close()
        let store = try Store.open(in: self.directory)
        _ = try await store.claim(Self.claim(2))
        let error = await storeError { _ = try await store.claim(Self.claim(3)) }
        #expect(error?.code == .tokenExhausted)
        #expect(try store.lookUp(ScopeHash(0x5EED, 3)) == nil, "nothing is left of the refused one")
        #expect(store.claimCounts().sent == 2)
        _ = try await store.claim(Self.claim(4, token: "other"))
        #expect(try store.tokenCalls("t") == 2)
    }

    @Test func whatWasNotExecutedIsGivenBack() async throws {
        let first = try await self.store.claim(Self.claim(1))
        #expect(try await self.store.release(row: first.id, flight: FlightID(process: 7, serial: 1)) == .deleted)
        #expect(try self.store.tokenCalls("t") == 0)
        _ = try await self.store.claim(Self.claim(2))
        #expect(try await self.store.settle(ScopeHash(0x5EED, 2), billed: false) == .deleted)
        #expect(try self.store.tokenCalls("t") == 0)
        _ = try await self.store.claim(Self.claim(3))
        #expect(try await self.store.settle(ScopeHash(0x5EED, 3), billed: true) == .kept)
        #expect(try self.store.tokenCalls("t") == 1)
    }

    @Test func fiftyAtOnceDoNotOvershoot() async throws {
        let store = self.store
        let accepted = await withTaskGroup(of: Bool.self) { group in
            for number in 1...50 as ClosedRange<UInt64> {
                group.addTask { (try? await store.claim(Self.claim(number, maximum: 7))) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(accepted == 7)
        #expect(try store.tokenCalls("t") == 7)
    }

    @Test func whatConcernsEndedTokensGoes() async throws {
        _ = try await self.store.claim(Self.claim(1))
        for user in ["mei", "lin"] {
            for _ in 0..<2 {
                try await self.store.revokeTokens(
                    TokenRevocation(
                        client: "app",
                        user: user,
                        tokenID: nil,
                        revokedAt: someDay,
                        expiresAt: someDay + day
                    )
                )
            }
        }
        #expect(try self.store.tokenRevocations().map(\.user) == ["mei", "lin"], "one row for each user")
        _ = try await self.store.expire(now: someDay + day)
        #expect(try self.store.tokenCalls("t") == 1)
        let expiry = try await self.store.expire(now: someDay + day + 1, limit: 1)
        #expect(!expiry.isComplete)
        _ = try await self.store.expire(now: someDay + day + 1)
        #expect(try self.store.tokenCalls("t") == 0)
        #expect(try self.store.tokenRevocations().isEmpty)
    }

    @Test func aNonceIsSpentOnceAndForgottenWhenItsTimeIsOver() async throws {
        #expect(try await self.store.spendNonce("n", of: "school", until: someDay))
        #expect(try await !self.store.spendNonce("n", of: "school", until: someDay))
        #expect(try await self.store.spendNonce("n", of: "kiosk", until: someDay + 1))
        await self.store.close()
        let store = try Store.open(in: self.directory)
        #expect(try await !store.spendNonce("n", of: "school", until: someDay))
        _ = try await store.expire(now: someDay + 1)
        #expect(try await store.spendNonce("n", of: "school", until: someDay))
        #expect(try await !store.spendNonce("n", of: "kiosk", until: someDay))
        await store.close()
    }
}
