import Cryptography
import HTTPWire
import Store
import Testing

@testable import GatewayCore

/// Who opens a WebSocket connection (contract yugu, section 3.5).
@Suite struct HandshakeTests {
    private static let secret = PrincipalBench.masters.signingSecret(client: "school", version: 1)

    /// A query that is signed at the bench's time, with a payload written by hand.
    private static func signed(
        _ bench: PrincipalBench,
        nonce: String = "n-1",
        offset: Int64 = 0,
        secret: String = HandshakeTests.secret,
        appKey: String = "sgk_school",
        idempotencyKey: String? = nil
    ) -> String {
        let time = bench.now / 1000 + offset
        let key = idempotencyKey.map { "&idempotencyKey=\($0)" } ?? ""
        let payload = "appKey=\(appKey)\(key)&nonce=\(nonce)&timestamp=\(time)"
        let code = HMACSHA256.authenticationCode(for: payload, key: Secret(secret))
        return payload + "&signature=" + PercentCoding.encode(Base64.encode(code))
    }

    private static func token(
        _ bench: PrincipalBench,
        _ change: (inout TokenIssuer.Request) -> Void = { _ in }
    ) throws -> String {
        var request = TokenIssuer.Request(client: "school", user: "mei")
        change(&request)
        return try bench.issuer.issue(request).text
    }

    private static func open(
        _ bench: PrincipalBench,
        _ query: String?,
        _ fields: [(HTTPField.Name, String)] = [],
        from address: String = "192.0.2.7"
    ) async throws(GatewayError) -> Principal {
        let exchange = PrincipalBench.exchange(fields, from: address, query: query)
        let parsed = try HandshakeQuery(query)
        return try await bench.access.principal(ofHandshake: exchange, query: parsed, for: .realtime)
    }

    private static func refusal(
        _ bench: PrincipalBench,
        _ query: String?,
        _ fields: [(HTTPField.Name, String)] = [],
        from address: String = "192.0.2.7"
    ) async -> GatewayError? {
        do throws(GatewayError) {
            _ = try await self.open(bench, query, fields, from: address)
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Tokens and keys

    @Test func aTokenInTheQueryIsTheSameAsInItsField() async throws {
        let bench = try await PrincipalBench()
        let token = try Self.token(bench) { $0.maximumCalls = 3 }
        let principal = try await Self.open(bench, "token=\(PercentCoding.encode(token))&idempotencyKey=k-1")
        #expect(principal == (try bench.principal(PrincipalBench.bearer(token))))
        #expect(principal.user == "mei" && principal.maximumCalls == 3)
        #expect(try await Self.open(bench, nil, PrincipalBench.bearer(token)) == principal)
        #expect(await Self.refusal(bench, "token=\(token)", [(.speechGateUser, "lin")])?.status == 403)
        await bench.close()
    }

    @Test func anAPIKeyStandsInItsFieldAndNowhereElse() async throws {
        let bench = try await PrincipalBench()
        let fields = PrincipalBench.bearer(PrincipalBench.key) + [(.speechGateUser, "mei")]
        let principal = try await Self.open(bench, "idempotencyKey=k", fields)
        #expect(principal.credential == .apiKey && principal.user == "mei")
        let error = await Self.refusal(bench, "token=\(PrincipalBench.key)")
        #expect(error?.status == 401 && error?.message.contains("Authorization") == true)
        #expect(error?.message.contains("kkk") == false)
        await bench.close()
    }

    @Test func aTokenThatHasEndedOrCoversOtherThingsIsRefused() async throws {
        let bench = try await PrincipalBench()
        let report = try Self.token(bench) { $0.scopes = [.report] }
        let foreign = await Self.refusal(bench, "token=\(report)")
        #expect(foreign?.status == 403 && foreign?.code == .forbidden)
        let short = try Self.token(bench) { $0.lifetime = 60 }
        #expect(await Self.refusal(bench, "token=\(short)") == nil)
        bench.clock.advance(by: .seconds(60))
        let ended = await Self.refusal(bench, "token=\(short)")
        #expect(ended?.status == 401 && ended?.code == .unauthorized)
        for token in ["x", "a.b.c", String(repeating: "x", count: 4000), short + "x"] {
            #expect(await Self.refusal(bench, "token=\(token)")?.status == 401)
        }
        await bench.close()
    }

    @Test func withoutACredentialNobodyComesIn() async throws {
        let bench = try await PrincipalBench()
        for query in [nil, "", "token=", "idempotencyKey=k", "Token=x", "nonce=n&timestamp=1"] {
            #expect(await Self.refusal(bench, query)?.status == 401)
        }
        await bench.close()
    }

    @Test func oneCredentialAHandshake() async throws {
        let bench = try await PrincipalBench()
        let token = try Self.token(bench)
        let signed = Self.signed(bench)
        for (query, fields) in [
            ("token=\(token)&\(signed)", []), ("token=\(token)", PrincipalBench.bearer(token)),
            (signed, PrincipalBench.bearer(token)), ("", bench.signed("")),
        ] as [(String, [(HTTPField.Name, String)])] {
            let error = await Self.refusal(bench, query, fields)
            #expect(error?.status == 400 && error?.code == .validation)
        }
        // Nothing of it was spent.
        #expect(await Self.refusal(bench, signed) == nil)
        await bench.close()
    }

    // MARK: - Signatures

    @Test func aSignedQueryIsWhoseSecretItIs() async throws {
        let bench = try await PrincipalBench { $0.coreTypes = ["word"] }
        let query = Self.signed(bench, idempotencyKey: "k-1")
        let principal = try await Self.open(bench, query, [(.speechGateUser, "mei")])
        #expect(principal.credential == .signature && principal.client == "school" && principal.user == "mei")
        #expect(principal.scopes == [.evaluate, .tts, .report, .realtime] && principal.coreTypes == ["word"])
        #expect(try HandshakeQuery(query).idempotencyKey?.text == "k-1")
        // The order does not count, and what is not known is left alone.
        let parts = Self.signed(bench, nonce: "n-2").split(separator: "&").reversed().joined(separator: "&")
        #expect(await Self.refusal(bench, "v=2&" + parts + "&flag") == nil)
        await bench.close()
    }

    /// `printf %s PAYLOAD | openssl dgst -sha256 -hmac test_secret_key_123 -binary | base64` (contract's own vector).
    @Test func theContractsVectorIsWhatWouldBeChecked() throws {
        let query = try HandshakeQuery(
            "appKey=ak_test&timestamp=1791447600&nonce=0123456789abcdef"
                + "&idempotencyKey=3f0b6a1c9d2e4f5a8b7c6d5e4f3a2b1c"
                + "&signature=%2FnQKY6YLDY1o9QsZphE5etDBKxhUMyIjgqFEOlOFx8w%3D"
        )
        let code = HMACSHA256.authenticationCode(for: query.payloads[0], key: Secret("test_secret_key_123"))
        #expect(Base64.encode(code) == query["signature"])
        #expect("\(query)" == "handshake query" && !"\(query)".contains("ak_test"))
    }

    @Test func aNonceIsGoodOnceEvenBehindARestart() async throws {
        let bench = try await PrincipalBench()
        let query = Self.signed(bench)
        #expect(await Self.refusal(bench, query) == nil)
        let again = await Self.refusal(bench, query)
        #expect(again?.status == 401 && again?.message.contains("nonce") == true)
        let restarted = bench.freshAccess()
        let exchange = PrincipalBench.exchange([], query: query)
        await #expect(throws: GatewayError.self) {
            try await restarted.principal(ofHandshake: exchange, query: HandshakeQuery(query), for: .realtime)
        }
        // As long as its time is accepted: signed ahead, it is good for longer.
        let ahead = Self.signed(bench, nonce: "n-2", offset: 300)
        #expect(await Self.refusal(bench, ahead) == nil)
        bench.clock.advance(by: .seconds(599))
        #expect(await Self.refusal(bench, ahead)?.message.contains("nonce") == true)
        bench.clock.advance(by: .seconds(2))
        #expect(await Self.refusal(bench, ahead)?.message.contains("behind") == true)
        await bench.close()
    }

    @Test func aWrongSignatureSpendsNothing() async throws {
        let bench = try await PrincipalBench()
        #expect(await Self.refusal(bench, Self.signed(bench, secret: "wrong"))?.status == 401)
        #expect(await Self.refusal(bench, Self.signed(bench, appKey: "sgk_other"))?.status == 401)
        let right = Self.signed(bench)
        for (member, other) in [
            ("nonce=n-1", "nonce=n-3"), ("timestamp=1", "timestamp=01"), ("&nonce", "&idempotencyKey=x&nonce"),
        ] {
            #expect(await Self.refusal(bench, right.replacing(member, with: other))?.status == 401)
        }
        #expect(await Self.refusal(bench, right) == nil)
        await bench.close()
    }

    @Test func aStaleHandshakeSaysWhichClockIsOff() async throws {
        let bench = try await PrincipalBench()
        let late = await Self.refusal(bench, Self.signed(bench, offset: -301))
        #expect(late?.status == 401 && late?.message.contains("timestamp is 301 s behind") == true)
        #expect(await Self.refusal(bench, Self.signed(bench, offset: 301))?.message.contains("ahead of") == true)
        #expect(await Self.refusal(bench, Self.signed(bench, offset: -300)) == nil)
        await bench.close()
    }

    @Test func partsThatAreMissingAreNamed() async throws {
        let bench = try await PrincipalBench()
        let query = Self.signed(bench)
        for member in ["nonce", "timestamp", "signature", "appKey"] {
            let parts = query.split(separator: "&").filter { !$0.hasPrefix("\(member)=") }
            let error = await Self.refusal(bench, parts.joined(separator: "&"))
            #expect(error?.status == 401 && error?.message.contains(member) == true)
        }
        await bench.close()
    }

    @Test(arguments: ["appKey", "timestamp", "nonce", "signature", "token", "idempotencyKey"])
    func aMemberThatComesTwiceIsNamed(_ member: String) throws {
        for query in [
            "\(member)=a&\(member)=a", "\(member)=a&x=1&\(member)=b", "\(member)", "\(member)=%F", "\(member)=%FF",
        ] {
            do throws(GatewayError) {
                _ = try HandshakeQuery(query)
                Issue.record("\(query) was taken")
            } catch {
                #expect(error.status == 400 && error.code == .validation && error.message.hasPrefix("\(member): "))
            }
        }
    }

    @Test func addressesAndGuessesBindAsOnREST() async throws {
        var configuration = ClientAccess.Configuration()
        configuration.failedCredentials = 2
        let bench = try await PrincipalBench(configuration: configuration) { $0.addresses = ["192.0.2.0/24"] }
        #expect(await Self.refusal(bench, Self.signed(bench), from: "198.51.100.1")?.status == 403)
        for _ in 0..<2 { #expect(await Self.refusal(bench, "token=x")?.status == 401) }
        #expect(await Self.refusal(bench, Self.signed(bench))?.status == 429)
        #expect(await Self.refusal(bench, Self.signed(bench), from: "192.0.2.8") == nil)
        await bench.close()
    }

    @Test func whatTheStoreCannotRememberIsNotLetIn() async throws {
        let bench = try await PrincipalBench()
        await bench.store.close()
        let error = await Self.refusal(bench, Self.signed(bench))
        #expect(error?.status == 503)
        await bench.close()
    }
}
