import Foundation
import TestSupport
import Testing

/// Everyone who may call, and what each may do.
@Suite struct CredentialTests {
    private typealias Fields = [(String, String)]

    private static func object(_ text: some StringProtocol) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
    }

    private static func post(
        _ bed: TestBed,
        _ form: TestForm = .evaluation(),
        key: String,
        _ fields: Fields
    ) async throws -> TestResponse {
        try await TestHTTPClient.exchange(
            port: bed.port,
            "POST",
            "/api/v1/evaluate",
            fields: fields + [form.contentType, ("Idempotency-Key", key)],
            body: form.bytes
        )
    }

    private static func get(_ bed: TestBed, _ target: String, _ fields: Fields) async throws -> TestResponse {
        try await TestHTTPClient.exchange(port: bed.port, "GET", target, fields: fields)
    }

    private static func bearer(_ credential: String) -> Fields { [("Authorization", "Bearer \(credential)")] }

    // MARK: Tokens

    private static func tokens(_ bed: TestBed, _ json: String, key: String) async throws -> TestResponse {
        try await TestHTTPClient.exchange(
            port: bed.port,
            "POST",
            "/v1/tokens",
            fields: Self.bearer(key) + [("Content-Type", "application/json")],
            body: Array(json.utf8)
        )
    }

    /// A key with every scope.
    private static func backend(_ bed: TestBed) async throws -> String {
        let added = try await bed.speechgate("client", "add", "backend", "--scopes", "all")
        return try #require(try Self.object(added.output)["apiKey"] as? String)
    }

    @Test func aBackendGivesItsUsersTokens() async throws {
        let bed = try await TestBed()
        let key = try await Self.backend(bed)
        let made = try await Self.tokens(bed, #"{"userId":"mei","ttlSeconds":600}"#, key: key)
        #expect(made.status == 200 && made.json("token_type") == "Bearer" && made.json("expires_in") == "600")
        #expect(made["cache-control"] == "no-store")
        let mei = Self.bearer(try #require(made.json("access_token")))
        let first = try await Self.post(bed, key: "k", mei)
        #expect(first.status == 200, "\(first.text)")
        let record = "/api/v1/report/" + (try #require(first.json("recordId")))
        #expect(try await Self.get(bed, record, mei).status == 200)
        #expect(try await Self.get(bed, record, Self.bearer(key)).status == 200)

        let other = try await bed.speechgate("token", "--client", "backend", "--user", "lin", "--ttl", "1m")
        let lin = Self.bearer(try #require(try Self.object(other.output)["access_token"] as? String))
        #expect(try await Self.get(bed, record, lin).status == 400, "another user's record")
        #expect(try await Self.get(bed, record, mei + [("SpeechGate-User", "lin")]).status == 403)
        #expect(try await Self.get(bed, "/v1/records/x", mei).status == 403, "not among its scopes")
        let whoami = try await Self.get(bed, "/v1/whoami", mei)
        #expect(whoami.json("client") == "backend" && whoami.json("user") == "mei")
        #expect(whoami.json("credential") == "token" && whoami.json("tokenId") == made.json("tokenId"))

        _ = try await bed.speechgate("token", "revoke", "--client", "backend", "--user", "mei")
        #expect(try await Self.get(bed, record, mei).status == 401)
        #expect(try await Self.get(bed, "/v1/whoami", lin).status == 200)
        try await bed.killAndRestart()
        #expect(try await Self.get(bed, record, mei).status == 401, "after a restart too")
        #expect(try await Self.get(bed, "/v1/whoami", lin).status == 200)
        _ = try await bed.speechgate("client", "revoke", "backend")
        #expect(try await Self.get(bed, "/v1/whoami", lin).status == 401)
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func theCallsOfATokenAreCountedAndReplaysAreNot() async throws {
        let bed = try await TestBed()
        let key = try await Self.backend(bed)
        let made = try await Self.tokens(bed, #"{"userId":"mei","maximumCalls":2}"#, key: key)
        let token = Self.bearer(try #require(made.json("access_token")))
        #expect(try await Self.post(bed, key: "a", token).status == 200)
        for _ in 0..<3 { #expect(try await Self.post(bed, key: "a", token)["idempotency-replayed"] == "true") }
        try await bed.killAndRestart()
        #expect(try await Self.post(bed, key: "b", token).status == 200)
        let third = try await Self.post(bed, key: "c", token)
        #expect(third.status == 403 && third.json("reason") == "token_exhausted", "\(third.text)")
        #expect(try await Self.post(bed, key: "b", token).status == 200, "replays go on")
        let whoami = try await Self.get(bed, "/v1/whoami", token)
        #expect(whoami.text.contains(#""limits":{"maximumCalls":2,"callsLeft":0,"#), "\(whoami.text)")
        #expect(try await bed.billed() == 2)
        await bed.stop()
    }

    /// The head of an upload.
    private static func head(of length: Int, _ fields: Fields) -> [UInt8] {
        let fields = fields + [TestForm().contentType, ("Content-Length", "\(length)")]
        return TestHTTPClient.request("POST", "/api/v1/evaluate", fields: fields, close: false)
    }

    @Test func aTokenWithoutCallsUploadsNothing() async throws {
        let bed = try await TestBed()
        let key = try await Self.backend(bed)
        let made = try await Self.tokens(bed, #"{"userId":"mei","maximumCalls":1}"#, key: key)
        let token = Self.bearer(try #require(made.json("access_token")))
        #expect(try await Self.post(bed, key: "a", token).status == 200)
        for fields in [token, token + [("Idempotency-Key", "b")]] {
            let client = try TestHTTPClient(port: bed.port)
            client.send(Self.head(of: 50_000_000, fields + [("Expect", "100-continue")]))
            let refused = await client.receive(takesInterim: true)
            #expect(refused.status == 403 && refused.json("reason") == "token_exhausted", "\(refused.text)")
            #expect(refused["idempotency-key"] != nil)
        }
        #expect(try await Self.post(bed, key: "a", token)["idempotency-replayed"] == "true")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func whoProvesNothingIsHurriedAndWhoHasProvenItselfIsNot() async throws {
        var settings = TestBed.Settings()
        settings.gateway["limits"] = #"{ unprovenTimeout: "400ms" }"#
        let bed = try await TestBed(settings)
        let added = try Self.object(try await bed.speechgate("client", "add", "sdk", "--signing").output)
        let appKey = try #require(added["appKey"] as? String)
        let secret = try #require(added["secretKey"] as? String)
        let config = #"{"coreType":"word","referenceText":"apple"}"#
        let parts = TestForm.evaluation(config: config)
        let reversed = TestForm().adding("audio", TestAudio.wav(), filename: "a.wav")
            .adding("config", Array(config.utf8))
        for (form, status) in [(parts, 200), (reversed, 408)] {
            let fields = try await Self.signature(of: "config=" + config, appKey: appKey, secret: secret)
            let client = try TestHTTPClient(port: bed.port)
            let bytes = form.bytes
            client.send(Self.head(of: bytes.count, fields))
            client.send(Array(bytes[..<1000]))
            try await Task.sleep(for: .milliseconds(1_500))
            client.send(Array(bytes[1000...]))
            let answer = await client.receive()
            #expect(answer.status == status, "\(answer.text)")
        }
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func tokensThatAreNoneAreAllRefusedAlike() async throws {
        let bed = try await TestBed()
        let made = try await bed.speechgate("token", "--client", "school", "--user", "mei")
        let token = try #require(try Self.object(made.output)["access_token"] as? String)
        let parts = token.split(separator: ".").map(String.init)
        func encoded(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
                .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        }
        let padded = parts[1] + String(repeating: "=", count: (4 - parts[1].count % 4) % 4)
        let claims = String(decoding: try #require(Data(base64Encoded: padded)), as: UTF8.self)
        let eve = claims.replacingOccurrences(of: #""mei""#, with: #""eve""#)
        let none = encoded(#"{"alg":"none","typ":"JWT"}"#)
        let rs256 = encoded(#"{"alg":"RS256","typ":"JWT","kid":"1"}"#)
        let bad = [
            none + "." + parts[1] + ".", none + "." + parts[1] + "." + parts[2],
            rs256 + "." + parts[1] + "." + parts[2],
            parts[0] + "." + encoded(eve) + "." + parts[2], parts[0] + "." + parts[1], token + "A", token + "=",
            String(token.dropLast(2)), "x" + token,
        ]
        #expect(try await Self.get(bed, "/v1/whoami", Self.bearer(token)).status == 200)
        var messages: Set<String?> = []
        for text in bad {
            let response = try await Self.get(bed, "/v1/whoami", Self.bearer(text))
            #expect(response.status == 401 && response.json("code") == "40100", "\(text): \(response.text)")
            messages.insert(response.json("message"))
        }
        #expect(messages.count == 1, "the answer does not tell why")
        await bed.stop()
    }

    @Test func requestsForTokensThatCannotBe() async throws {
        let bed = try await TestBed()
        let key = try await Self.backend(bed)
        let cases = [
            ("", "JSON object"), ("[]", "object"), ("{}", "userId"), (#"{"userId":7}"#, "userId"),
            (#"{"userId":"a b"}"#, "userId"), (#"{"userId":"\#(String(repeating: "u", count: 129))"}"#, "userId"),
            (#"{"userId":"u","ttlSeconds":"60"}"#, "ttlSeconds"), (#"{"userId":"u","ttlSeconds":0}"#, "ttlSeconds"),
            (#"{"userId":"u","ttlSeconds":86401}"#, "ttlSeconds"), (#"{"userId":"u","ttlSeconds":1.5}"#, "ttlSeconds"),
            (#"{"userId":"u","maximumCalls":0}"#, "maximumCalls"), (#"{"userId":"u","scopes":"tts"}"#, "scopes"),
            (#"{"userId":"u","scopes":["all"]}"#, "scopes"), (#"{"userId":"u","scopes":[1]}"#, "scopes"),
            (#"{"userId":"u","scopes":["tokens"]}"#, "tokens"), (#"{"userId":"u","scopes":[]}"#, "scopes"),
            (#"{"userId":"u","ttl":60}"#, "'ttl'"), (#"{"userId":"u","userId":"v"}"#, "userId"),
        ]
        for (json, word) in cases {
            let response = try await Self.tokens(bed, json, key: key)
            #expect(response.status == 400 && response.json("code") == "40001", "\(json): \(response.text)")
            #expect(response.json("message")?.contains(word) == true, "\(json): \(response.text)")
        }
        #expect(try await Self.tokens(bed, #"{"userId":"u"}"#, key: bed.apiKey).status == 403)
        let more = try await bed.speechgate("client", "add", "minter", "--scopes", "tokens,evaluate")
        let minter = try #require(try Self.object(more.output)["apiKey"] as? String)
        #expect(try await Self.tokens(bed, #"{"userId":"u","scopes":["erase"]}"#, key: minter).status == 403)
        await bed.stop()
    }

    // MARK: Clients

    @Test func attributesOfAClientBindIt() async throws {
        let bed = try await TestBed()
        let options = ["--core-types", "word", "--addresses", "127.0.0.0/8", "--expires", "1d", "--label", "kiosk"]
        let added = try await bed.speechgate(["client", "add", "kiosk"] + options)
        let key = Self.bearer(try #require(try Self.object(added.output)["apiKey"] as? String))
        let refused = try await Self.post(bed, key: "a", key)
        #expect(refused.status == 403 && refused.json("code") == "40300", "\(refused.text)")
        let word = TestForm.evaluation(config: #"{"coreType":"word","referenceText":"apple"}"#)
        #expect(try await Self.post(bed, word, key: "b", key).status == 200)
        let whoami = try await Self.get(bed, "/v1/whoami", key)
        #expect(whoami.text.contains(#""coreTypes":["word"]"#) && whoami.json("expiresAt")?.hasSuffix("Z") == true)
        let far = try await bed.speechgate("client", "add", "far", "--addresses", "192.0.2.0/24")
        let farKey = Self.bearer(try #require(try Self.object(far.output)["apiKey"] as? String))
        let foreign = try await Self.get(bed, "/v1/whoami", farKey)
        #expect(foreign.status == 403 && !foreign.text.contains("192.0.2"), "\(foreign.text)")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }

    @Test func guessesAreSlowedByTheAddressBehindTheProxy() async throws {
        var settings = TestBed.Settings()
        settings.gateway["trustedProxies"] = #"["127.0.0.1"]"#
        settings.gateway["limits"] = "{ failedCredentials: 3 }"
        let bed = try await TestBed(settings)
        func whoami(_ credential: String, from address: String) async throws -> TestResponse {
            try await Self.get(bed, "/v1/whoami", Self.bearer(credential) + [("X-Forwarded-For", address)])
        }
        #expect(try await whoami(bed.apiKey, from: "192.0.2.7").status == 200)
        var answers: [TestResponse] = []
        for index in 0..<20 { answers.append(try await whoami("sg_\(index)", from: "192.0.2.7")) }
        #expect(answers.prefix(3).allSatisfy { $0.status == 401 }, "\(answers.map(\.status))")
        let slowed = try #require(answers.first { $0.status == 429 }, "\(answers.map(\.status))")
        #expect(slowed.json("code") == "42900" && slowed["retry-after"] != nil, "\(slowed.text)")
        #expect(try await whoami("sg_x", from: "192.0.2.8").status == 401)
        #expect(try await whoami(bed.apiKey, from: "192.0.2.7").status == 200, "who was let in before goes on")
        let added = try await bed.speechgate("client", "add", "near", "--addresses", "192.0.2.9")
        let near = try #require(try Self.object(added.output)["apiKey"] as? String)
        #expect(try await whoami(near, from: "192.0.2.9").status == 200)
        #expect(try await whoami(near, from: "192.0.2.9, 192.0.2.10").status == 403)
        await bed.stop()
    }

    // MARK: Signatures

    /// The signature headers, made with OpenSSL.
    static func signature(
        of text: String,
        appKey: String,
        secret: String,
        nonce: String = UUID().uuidString,
        offset: Int = 0
    ) async throws -> [(String, String)] {
        let (status, output) = try await ChildProcess.run(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", #"printf %s "$1" | openssl dgst -sha256 -hmac "$2" -binary | base64"#, "sh", text, secret],
            log: FileManager.default.temporaryDirectory.appendingPathComponent("openssl-\(UUID().uuidString).log")
        )
        try #require(status == 0)
        return [
            ("X-App-Key", appKey), ("X-Timestamp", "\(Int(Date().timeIntervalSince1970) + offset)"),
            ("X-Nonce", nonce), ("X-Signature", output.trimmingCharacters(in: .whitespacesAndNewlines)),
        ]
    }

    @Test func theMasterIsReplacedWithoutAnInterruption() async throws {
        let bed = try await TestBed()
        let added = try Self.object(try await bed.speechgate("client", "add", "sdk", "--signing").output)
        let appKey = try #require(added["appKey"] as? String)
        let secret = try #require(added["secretKey"] as? String)
        func token() async throws -> String {
            let made = try await bed.speechgate("token", "--client", "sdk", "--user", "mei")
            return try #require(try Self.object(made.output)["access_token"] as? String)
        }
        func status(_ fields: Fields) async throws -> Int { try await Self.get(bed, "/v1/whoami", fields).status }
        // Whoever is let in hears that there is no such record.
        func statusSigned(with secret: String) async throws -> Int {
            let fields = try await Self.signature(of: "", appKey: appKey, secret: secret)
            return try await Self.get(bed, "/api/v1/report/none", fields).status
        }
        let old = try await token()
        let text = try String(contentsOf: bed.config, encoding: .utf8)
        let before = try #require(text.firstMatch(of: /master: (\{ file: "[^"]+" \})/))
        let next = bed.folder.appendingPathComponent("next.secret")
        try Data(String(repeating: "89abcdef01234567", count: 4).utf8).write(to: next)
        let both = #"master: { file: "\#(next.path)" }, previousMaster: \#(before.1)"#
        try Data(text.replacing(before.0, with: both).utf8).write(to: bed.config)
        try await bed.killAndRestart()
        #expect(try await status(Self.bearer(old)) == 200)
        #expect(try await statusSigned(with: secret) == 400)
        let new = try await token()
        #expect(new.split(separator: ".")[0] != old.split(separator: ".")[0], "signed with the new key")
        let rotated = try Self.object(try await bed.speechgate("client", "rotate", "sdk").output)
        let nextSecret = try #require(rotated["secretKey"] as? String)

        let alone = #"master: { file: "\#(next.path)" }"#
        try Data(text.replacing(before.0, with: alone).utf8).write(to: bed.config)
        try await bed.killAndRestart()
        #expect(try await status(Self.bearer(old)) == 401)
        #expect(try await statusSigned(with: secret) == 401)
        #expect(try await status(Self.bearer(new)) == 200)
        #expect(try await statusSigned(with: nextSecret) == 400)
        await bed.stop()
    }

    @Test func anSDKThatCanOnlySignIsServed() async throws {
        let bed = try await TestBed()
        let added = try Self.object(try await bed.speechgate("client", "add", "sdk", "--signing").output)
        let appKey = try #require(added["appKey"] as? String)
        let secret = try #require(added["secretKey"] as? String)
        func sign(_ text: String, nonce: String = UUID().uuidString, offset: Int = 0) async throws -> Fields {
            try await Self.signature(of: text, appKey: appKey, secret: secret, nonce: nonce, offset: offset)
        }
        let config = #"{"coreType":"word","referenceText":"apple","slack":0.2,"includeReport":false}"#
        let form = TestForm.evaluation(config: config)
        let blob = TestForm().adding("config", Array(config.utf8), filename: "blob", contentType: "application/json")
            .adding("audio", TestAudio.wav(), filename: "blob", contentType: "audio/wav")
        let formA = try await Self.post(bed, form, key: "a", try await sign("config=" + config))
        #expect(formA.status == 200, "\(formA.text)")
        let members = "coreType=word&includeReport=false&referenceText=apple&slack=0.2"
        #expect(try await Self.post(bed, blob, key: "b", try await sign(members)).status == 200)

        let fields = try await sign("config=" + config, nonce: "n1")
        let changed = TestForm.evaluation(config: config.replacingOccurrences(of: "apple", with: "pears"))
        let refused = try await Self.post(bed, changed, key: "c", fields)
        #expect(refused.status == 401 && refused.json("code") == "40100", "\(refused.text)")
        #expect(try await Self.post(bed, form, key: "a", fields)["idempotency-replayed"] == "true")
        #expect(try await Self.post(bed, form, key: "a", fields).status == 401, "the nonce again")
        let stale = try await Self.post(bed, form, key: "d", try await sign("config=" + config, offset: -400))
        #expect(stale.status == 401 && stale.json("message")?.contains("s behind") == true, "\(stale.text)")

        let record = "/api/v1/report/" + (try #require(formA.json("recordId")))
        #expect(try await Self.get(bed, record, try await sign("")).status == 200)
        for path in ["/v1/whoami", "/v1/keys/a", "/v1/records", "/v1/records/x", "/v1/usage"] {
            let response = try await Self.get(bed, path, try await sign(""))
            #expect(response.status == 401 && response.json("code") == "40100", "\(path): \(response.text)")
            #expect(response.json("message")?.contains("use an API key or a token") == true, "\(response.text)")
        }

        let rotated = try Self.object(try await bed.speechgate("client", "rotate", "sdk", "--overlap", "0s").output)
        #expect(try await Self.get(bed, record, try await sign("")).status == 401, "the old secret ended at once")
        let next = try #require(rotated["secretKey"] as? String)
        let signed = try await Self.signature(of: "", appKey: appKey, secret: next)
        #expect(try await Self.get(bed, record, signed).status == 200)
        #expect(try await Self.get(bed, record, Self.bearer(try #require(added["apiKey"] as? String))).status == 401)
        #expect(try await bed.billed() == 2)
        let log = try String(contentsOf: bed.gatewayLog, encoding: .utf8)
        #expect(!log.contains(secret) && !log.contains(next))
        await bed.stop()
    }
}
