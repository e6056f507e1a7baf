import Cryptography
import HTTPWire
import Store
import Testing

@testable import GatewayCore

@Suite struct AuthenticationTests {
    private static let key = PrincipalBench.bearer(PrincipalBench.key)

    @Test func anAPIKeySpeaksForItsClientAndTheUserThatItNames() async throws {
        let bench = try await PrincipalBench()
        let principal = try bench.principal(Self.key + [(.speechGateUser, "mei")])
        #expect(principal.client == "school" && principal.user == "mei")
        #expect(principal.scopes == Set(Scope.allCases) && principal.coreTypes == nil)
        #expect(bench.refusal(of: Self.key + [(.speechGateUser, "a b")])?.status == 400)
        #expect(bench.refusal(of: Self.key + [(.speechGateUser, "a"), (.speechGateUser, "a")])?.status == 400)
        await bench.close()
    }

    @Test func scopesAndCoreTypesBind() async throws {
        let bench = try await PrincipalBench { client in
            client.scopes = ["evaluate"]
            client.coreTypes = ["word"]
        }
        #expect(bench.refusal(of: Self.key) == nil)
        #expect(bench.refusal(of: Self.key, for: .tts)?.status == 403)
        #expect(bench.refusal(of: Self.key, for: .tts)?.code == .forbidden)
        let principal = try bench.principal(Self.key)
        try principal.require(coreType: "word")
        #expect(throws: GatewayError.self) { try principal.require(coreType: "sentence") }
        await bench.close()
    }

    @Test func addressesBindKeysAndTheAnswerDoesNotTellWhich() async throws {
        let bench = try await PrincipalBench { $0.addresses = ["192.0.2.0/24", "2001:db8::/32"] }
        #expect(bench.refusal(of: Self.key, from: "192.0.2.9") == nil)
        #expect(bench.refusal(of: Self.key, from: "2001:db8::9") == nil)
        for address in ["198.51.100.1", "2001:db9::1", "unix", ""] {
            let error = bench.refusal(of: Self.key, from: address)
            #expect(error?.status == 403 && error?.message.contains("192") == false)
        }
        #expect(bench.refusal(of: bench.signed(""), from: "198.51.100.1")?.status == 403)
        // Tokens are carried by phones.
        let token = try bench.issuer.issue(.init(client: "school", user: "mei")).text
        #expect(bench.refusal(of: PrincipalBench.bearer(token), from: "198.51.100.1") == nil)
        await bench.close()
    }

    @Test func whatHasEndedIsRefusedLikeWhatNeverWas() async throws {
        let bench = try await PrincipalBench { $0.expiresAt = 1_800_000_060_000 }
        let token = try bench.issuer.issue(.init(client: "school", user: "mei")).text
        for fields in [Self.key, PrincipalBench.bearer(token), bench.signed("")] {
            #expect(bench.refusal(of: fields) == nil)
        }
        bench.clock.advance(by: .seconds(60))
        let unknown = bench.refusal(of: PrincipalBench.bearer("sg_unknown"))
        #expect(unknown?.status == 401)
        for fields in [Self.key, PrincipalBench.bearer(token), bench.signed("")] {
            let error = bench.refusal(of: fields)
            #expect(error?.status == 401 && error?.message == unknown?.message)
        }
        await bench.close()
    }

    @Test func aRotationLeavesTwoGenerationsForAWhile() async throws {
        let bench = try await PrincipalBench()
        let token = try bench.issuer.issue(.init(client: "school", user: "mei")).text
        func rotate(_ key: String, overlap: Int64) async throws {
            let until = bench.now + overlap
            _ = try await bench.store.rotateClient("school", keyHash: APIKey.hash(of: key).bytes, previousUntil: until)
            try bench.reload()
        }
        func secret(_ version: Int) -> String {
            PrincipalBench.masters.signingSecret(client: "school", version: version)
        }
        try await rotate("sg_second", overlap: 60_000)
        let second = try bench.issuer.issue(.init(client: "school", user: "mei")).text
        for fields in [
            Self.key, PrincipalBench.bearer("sg_second"), PrincipalBench.bearer(token), PrincipalBench.bearer(second),
            bench.signed("", secret: secret(1)), bench.signed("", secret: secret(2)),
        ] {
            #expect(bench.refusal(of: fields) == nil)
        }
        bench.clock.advance(by: .seconds(60))
        for fields in [Self.key, PrincipalBench.bearer(token), bench.signed("", secret: secret(1))] {
            #expect(bench.refusal(of: fields)?.status == 401)
        }
        for fields in [
            PrincipalBench.bearer("sg_second"), PrincipalBench.bearer(second), bench.signed("", secret: secret(2)),
        ] {
            #expect(bench.refusal(of: fields) == nil)
        }
        try await rotate("sg_third", overlap: 0)
        #expect(bench.refusal(of: PrincipalBench.bearer("sg_second"))?.status == 401)
        #expect(bench.refusal(of: PrincipalBench.bearer(second))?.status == 401)
        await bench.close()
    }

    @Test func anAddressThatGuessesIsNotHeardForAWhile() async throws {
        var configuration = ClientAccess.Configuration()
        configuration.failedCredentials = 3
        let bench = try await PrincipalBench(configuration: configuration)
        let wrong = PrincipalBench.bearer("sg_wrong")
        // Nothing guessed, nothing counted.
        for _ in 0..<5 { #expect(bench.refusal(of: [])?.status == 401) }
        for _ in 0..<3 { #expect(bench.refusal(of: wrong)?.status == 401) }
        // Right or wrong, nothing new is heard.
        for fields in [wrong, Self.key, bench.signed("")] {
            let error = bench.refusal(of: fields)
            #expect(error?.status == 429 && error?.code == .tooManyRequests && error?.retryAfter != nil)
        }
        #expect(bench.refusal(of: Self.key, from: "192.0.2.8") == nil)
        bench.clock.advance(by: .seconds(1))
        #expect(bench.refusal(of: Self.key) == nil)
        // A whole /64 is one guesser.
        for index in 0..<3 { #expect(bench.refusal(of: wrong, from: "2001:db8::\(index)")?.status == 401) }
        #expect(bench.refusal(of: wrong, from: "2001:db8::ffff")?.status == 429)
        #expect(bench.refusal(of: wrong, from: "2001:db8:0:1::")?.status == 401)
        await bench.close()
    }

    @Test func whoWasLetInBeforeIsNotShutOutByTheGuessesOfANeighbour() async throws {
        var configuration = ClientAccess.Configuration()
        configuration.failedCredentials = 1
        let bench = try await PrincipalBench(configuration: configuration)
        let token = PrincipalBench.bearer(try bench.issuer.issue(.init(client: "school", user: "mei")).text)
        for fields in [Self.key, token, bench.signed("")] { #expect(bench.refusal(of: fields) == nil) }
        let late = PrincipalBench.bearer(try bench.issuer.issue(.init(client: "school", user: "lin")).text)
        for _ in 0..<2 { _ = bench.refusal(of: PrincipalBench.bearer("sg_wrong")) }
        for fields in [Self.key, token, bench.signed("")] { #expect(bench.refusal(of: fields) == nil) }
        #expect(bench.refusal(of: late)?.status == 429)
        // A phone has another address of its network's every day.
        #expect(bench.refusal(of: bench.signed(""), from: "2001:db8::1") == nil)
        for _ in 0..<2 { _ = bench.refusal(of: PrincipalBench.bearer("sg_wrong"), from: "2001:db8::2") }
        #expect(bench.refusal(of: bench.signed(""), from: "2001:db8::3") == nil)
        #expect(bench.refusal(of: bench.signed("", appKey: "sgk_other"), from: "2001:db8::3")?.status == 429)
        await bench.close()
    }

    @Test func tokensThatWereGenuineAreNoGuesses() async throws {
        var configuration = ClientAccess.Configuration()
        configuration.failedCredentials = 1
        let bench = try await PrincipalBench(configuration: configuration)
        let token = PrincipalBench.bearer(try bench.issuer.issue(.init(client: "school", user: "mei")).text)
        let hash = APIKey.hash(of: PrincipalBench.key).bytes
        _ = try await bench.store.rotateClient("school", keyHash: [UInt8](hash.reversed()), previousUntil: bench.now)
        try bench.reload()
        for _ in 0..<3 { #expect(bench.refusal(of: token)?.status == 401) }
        _ = try await bench.store.revokeClient("school", at: bench.now)
        try bench.reload()
        for _ in 0..<3 { #expect(bench.refusal(of: token)?.status == 401) }
        await bench.close()
    }

    @Test func oneCredentialARequest() async throws {
        let bench = try await PrincipalBench()
        #expect(bench.refusal(of: Self.key + bench.signed(""))?.status == 400)
        #expect(bench.refusal(of: Self.key + Self.key)?.status == 401)
        #expect(bench.refusal(of: Self.key + [(.xAppKey, "anything")]) == nil)
        await bench.close()
    }

    // MARK: Tokens

    @Test func aTokenIsForOneUserAndForItsTime() async throws {
        let bench = try await PrincipalBench()
        var request = TokenIssuer.Request(client: "school", user: "mei")
        request.lifetime = 60
        let fields = PrincipalBench.bearer(try bench.issuer.issue(request).text)
        let principal = try bench.principal(fields)
        #expect(principal.user == "mei")
        #expect(principal.scopes == [.evaluate, .tts, .report, .realtime])
        #expect(principal.expiresAt == bench.now + 60_000)
        #expect(bench.refusal(of: fields + [(.speechGateUser, "mei")]) == nil)
        #expect(bench.refusal(of: fields + [(.speechGateUser, "eve")])?.status == 403)
        #expect(bench.refusal(of: fields, for: .records)?.status == 403)
        bench.clock.advance(by: .seconds(60))
        #expect(bench.refusal(of: fields)?.status == 401)
        bench.clock.advance(by: .seconds(-120))
        #expect(bench.refusal(of: fields)?.status == 401, "not yet valid")
        await bench.close()
    }

    @Test func aTokenNeverHasMoreThanItsClient() async throws {
        let bench = try await PrincipalBench { $0.scopes = ["evaluate", "records", "tokens"] }
        func issue(_ scopes: Set<Scope>?) -> GatewayError? {
            var request = TokenIssuer.Request(client: "school", user: "mei")
            request.scopes = scopes
            do throws(GatewayError) {
                _ = try bench.issuer.issue(request)
                return nil
            } catch {
                return error
            }
        }
        #expect(issue(nil) == nil && issue([.records]) == nil)
        #expect(issue([.evaluate, .tts])?.status == 403)
        #expect(issue([.tokens])?.status == 400)
        #expect(issue([])?.status == 400)
        let token = PrincipalBench.bearer(try bench.issuer.issue(.init(client: "school", user: "mei")).text)
        #expect(try bench.principal(token).scopes == [.evaluate])
        await bench.close()
    }

    @Test func tokensAreTakenBackOneByOneByUserAndByClient() async throws {
        let bench = try await PrincipalBench()
        func issue(_ user: String) throws -> TokenIssuer.Issued {
            try bench.issuer.issue(.init(client: "school", user: user))
        }
        func isValid(_ token: TokenIssuer.Issued) -> Bool {
            bench.refusal(of: PrincipalBench.bearer(token.text)) == nil
        }
        let (first, second, other) = (try issue("mei"), try issue("mei"), try issue("lin"))
        try await bench.revocations.revoke(tokenID: first.id, user: nil, client: "stranger", at: bench.now)
        #expect(isValid(first), "a client ends its own tokens only")
        try await bench.revocations.revoke(tokenID: first.id, user: nil, client: "school", at: bench.now)
        #expect(!isValid(first) && isValid(second) && isValid(other))
        try await bench.revocations.revoke(user: "mei", client: "school", at: bench.now)
        #expect(!isValid(second) && isValid(other))
        let next = try issue("mei")
        #expect(isValid(next), "made in the same second, but after")
        let reopened = try TokenRevocations(store: bench.store)
        #expect(reopened.earliestIssue(user: "mei", client: "school") == bench.now / 1000 + 1)
        try await bench.revocations.revoke(user: nil, client: "school", at: bench.now + 1000)
        #expect(!isValid(next) && !isValid(other))
        await bench.close()
    }

    @Test func erasingManyUsersLeavesMostTokensOfTheClientInForce() async throws {
        let bench = try await PrincipalBench()
        let revocations = try TokenRevocations(store: bench.store, maximumUsers: 100)
        func token(_ user: String) -> AccessToken {
            let now = bench.now / 1000
            return AccessToken(
                id: user,
                client: "school",
                user: user,
                scopes: [],
                issuedAt: now,
                notBefore: now,
                expiresAt: now + 60,
                maximumCalls: nil
            )
        }
        for number in 0..<200 {
            _ = try await revocations.revokeAll(ofUser: "gone-\(number)", client: "school", at: bench.now)
        }
        for revocations in [revocations, try TokenRevocations(store: bench.store)] {
            #expect((0..<200).allSatisfy { revocations.contains(token("gone-\($0)")) })
            let others = (0..<1000).filter { revocations.contains(token("user-\($0)")) }
            // A hundred groups of 4096: 24 of a thousand are to be expected.
            #expect((1..<60).contains(others.count), "\(others.count)")
        }
        // However many are erased, there is an end to what is kept of them.
        #expect(try bench.store.tokenRevocations().count <= 200)
        let known = try await revocations.revokeAll(ofUser: "gone-7", client: "school", at: bench.now)
        let further = try await revocations.revokeAll(ofUser: "late", client: "school", at: bench.now)
        let others = try await revocations.revokeAll(ofUser: "late", client: "kiosk", at: bench.now)
        #expect(known == .user && further == .group && others == .user)
        bench.clock.advance(by: .seconds(2 * 86_400))
        #expect(try await revocations.revokeAll(ofUser: "later", client: "school", at: bench.now) == .user)
        await bench.close()
    }

    // MARK: Signatures

    @Test func aRequestWithoutContentIsProvenByItsHead() async throws {
        let bench = try await PrincipalBench()
        let signed = PrincipalBench.exchange(bench.signed("") + [(.speechGateUser, "mei")])
        let principal = try bench.access.admitWithoutContent(signed, for: .report)
        #expect(principal.credential == .signature && principal.user == "mei")
        #expect(principal.scopes == [.evaluate, .tts, .report, .realtime])
        #expect(bench.refusal(of: bench.signed(""), for: .tokens)?.status == 403)
        #expect(bench.refusal(of: bench.signed("x"))?.status == 401)
        #expect(bench.refusal(of: bench.signed("", secret: "wrong"))?.status == 401)
        #expect(bench.refusal(of: bench.signed("", appKey: "sgk_other"))?.status == 401)
        #expect(bench.refusal(of: bench.signed("", nonce: nil)) == nil)
        await bench.close()
    }

    @Test func aSignatureOpensNoPathOfTheGatewaysOwn() async throws {
        let bench = try await PrincipalBench()
        let fields = bench.signed("", nonce: "n")
        let error = #expect(throws: GatewayError.self) { try bench.principal(fields) }
        #expect(error?.status == 401 && error?.message.contains("API key or a token") == true)
        #expect(bench.refusal(of: fields) == nil, "its nonce was not spent")
        await bench.close()
    }

    @Test func aNonceIsGoodOnceAndAWrongSignatureDoesNotSpendIt() async throws {
        let bench = try await PrincipalBench()
        #expect(bench.refusal(of: bench.signed("x", nonce: "n"))?.status == 401)
        #expect(bench.refusal(of: bench.signed("", nonce: "n")) == nil)
        #expect(bench.refusal(of: bench.signed("", nonce: "n"))?.status == 401)
        bench.clock.advance(by: .seconds(300))
        #expect(bench.refusal(of: bench.signed("", nonce: "n")) == nil)
        await bench.close()
    }

    @Test func aStaleTimeSaysWhichClockIsOffAndByHowMuch() async throws {
        let bench = try await PrincipalBench()
        for offset in [-300, 300] as [Int64] { #expect(bench.refusal(of: bench.signed("", offset: offset)) == nil) }
        let late = bench.refusal(of: bench.signed("", offset: -301))
        #expect(late?.status == 401 && late?.code == .unauthorized)
        #expect(late?.message.contains("301 s behind") == true)
        let early = bench.refusal(of: bench.signed("", secret: "wrong", appKey: "nobody", offset: 9_000))
        #expect(early?.message.contains("9000 s ahead of") == true, "known or not, the answer is the same")
        var fields = bench.signed("")
        for time in ["", "1.5", "-1", "soon", "1800000000000000"] {
            fields[1].1 = time
            #expect(bench.refusal(of: fields)?.status == 400)
        }
        await bench.close()
    }

    @Test func withContentTheHeadAloneProvesNothing() async throws {
        let bench = try await PrincipalBench()
        let exchange = PrincipalBench.exchange(bench.signed(""), framing: .length(10))
        guard case .needsBody = try bench.access.admit(exchange, for: .evaluate) else {
            Issue.record("accepted without its content")
            return
        }
        #expect(throws: GatewayError.self) { try bench.access.principal(of: exchange) }
        #expect(bench.refusal(of: bench.signed(""), for: .erase, framing: .chunked)?.status == 403)
        await bench.close()
    }

    @Test func aClientWithoutASigningCredentialCannotSign() async throws {
        let bench = try await PrincipalBench { $0.appKey = nil }
        #expect(bench.refusal(of: bench.signed(""))?.status == 401)
        await bench.close()
    }
}
