import Foundation
import TestSupport
import Testing

/// Whatever a client sends, it learns what is wrong and what to do, and the platform hears nothing of it.
@Suite struct BadInputTests {
    private static let config = Array(#"{"coreType":"sentence","referenceText":"hello"}"#.utf8)

    private static func expectError(
        _ response: TestResponse,
        _ status: Int,
        _ code: Int,
        mentioning word: String? = nil,
        _ what: String
    ) {
        #expect(response.status == status, "\(what): \(response.text)")
        #expect(response.json("code") == String(code), "\(what): \(response.text)")
        #expect(response.json("source") == "gateway", "\(what)")
        #expect(response.json("requestId") == response["x-request-id"], "\(what)")
        #expect(response.json("message")?.isEmpty == false, "\(what): \(response.text)")
        if let word { #expect(response.json("message")?.contains(word) == true, "\(what): \(response.text)") }
    }

    @Test func formsThatCannotBeEvaluated() async throws {
        let bed = try await TestBed()
        let audio = TestAudio.wav()
        func form(_ config: String) -> TestForm { .evaluation(config: config, audio: audio) }
        let cases: [(TestForm, String, String)] = [
            (TestForm().adding("config", Self.config), "audio", "no audio"),
            (TestForm().adding("audio", audio, filename: "a.wav"), "config", "no config"),
            (.evaluation(audio: []), "audio", "empty audio"),
            (form("not json"), "config", "config not JSON"),
            (form(#"["sentence"]"#), "config", "config no object"),
            (form(#"{"referenceText":"hello"}"#), "coreType", "no coreType"),
            (form(#"{"coreType":7,"referenceText":"hello"}"#), "coreType", "coreType a number"),
            (form(#"{"coreType":"song","referenceText":"hello"}"#), "coreType", "unknown coreType"),
            (form(#"{"coreType":"word"}"#), "referenceText", "no referenceText"),
            (form(#"{"coreType":"word","referenceText":"hello","coreType":"open"}"#), "config", "coreType twice"),
            (TestForm.evaluation().adding("config", Self.config), "config", "config twice"),
            (TestForm.evaluation().adding("note", [0xFF]), "note", "a text that is not UTF-8"),
            (TestForm.evaluation().adding("a%22b", [0x31]), "name", "a name that is signed as another"),
        ]
        for (form, word, what) in cases {
            Self.expectError(try await bed.evaluate(form: form), 400, 40001, mentioning: word, what)
        }
        #expect(try await bed.platformLog().isEmpty)
        await bed.stop()
    }

    @Test func bodiesThatAreNoForms() async throws {
        let bed = try await TestBed()
        func post(_ contentType: String?, _ body: String) async throws -> TestResponse {
            var fields = [("Authorization", "Bearer \(bed.apiKey)")]
            if let contentType { fields.append(("Content-Type", contentType)) }
            return try await TestHTTPClient.exchange(
                port: bed.port,
                "POST",
                "/api/v1/evaluate",
                fields: fields,
                body: Array(body.utf8)
            )
        }
        Self.expectError(try await post("application/json", "{}"), 415, 40001, mentioning: "multipart", "JSON")
        Self.expectError(try await post(nil, "x"), 415, 40001, mentioning: "multipart", "no type")
        Self.expectError(
            try await post("multipart/form-data", "--b--\r\n"),
            400,
            40001,
            mentioning: "boundary",
            "no boundary"
        )
        Self.expectError(
            try await post("multipart/form-data; boundary=b", "--c\r\n\r\n--c--\r\n"),
            400,
            40001,
            mentioning: "boundary",
            "other boundary"
        )
        let form = TestForm.evaluation()
        Self.expectError(
            try await post(form.contentType.1, String(decoding: form.bytes.prefix(200), as: UTF8.self)),
            400,
            40001,
            mentioning: "closing boundary",
            "cut off"
        )
        #expect(try await bed.platformLog().isEmpty)
        await bed.stop()
    }

    @Test func anUploadOverFiftyMegabytesIsRefusedBeforeItIsRead() async throws {
        let bed = try await TestBed()
        let client = try TestHTTPClient(port: bed.port)
        let head = TestHTTPClient.request(
            "POST",
            "/api/v1/evaluate",
            fields: [("Authorization", "Bearer \(bed.apiKey)"), TestForm().contentType, ("Content-Length", "52428801")]
        )
        client.send(head)
        Self.expectError(await client.receive(), 413, 40001, "too large")
        await bed.stop()
    }

    @Test func theEchoShowsNoSecret() async throws {
        let bed = try await TestBed()
        let names = ["Authorization", "Cookie", "X-Api-Key", "X-Hub-Signature-256", "X-Auth-Token", "Client-Secret"]
        let response = try await TestHTTPClient.exchange(
            port: bed.port,
            "GET",
            "/v1/echo?key=hidden",
            fields: names.map { ($0, "hidden") } + [("X-Shown", "visible")]
        )
        #expect(response.status == 200 && response.text.contains("visible"))
        #expect(!response.text.contains("hidden"), "\(response.text)")
        await bed.stop()
    }

    @Test func keysAndUsersOutsideTheirGrammar() async throws {
        let bed = try await TestBed()
        let long = String(repeating: "k", count: 201)
        for (key, what) in [(long, "201 characters"), ("two words", "a space"), ("\u{E9}", "not ASCII")] {
            Self.expectError(try await bed.evaluate(key: key), 400, 40001, mentioning: "Idempotency-Key", what)
        }
        let twice = try await bed.evaluate(key: "a", fields: [("X-Idempotency-Key", "b")])
        Self.expectError(twice, 400, 40001, mentioning: "idempotency", "two keys")
        let user = try await bed.evaluate(key: "a", user: "no spaces allowed")
        Self.expectError(user, 400, 40001, mentioning: "SpeechGate-User", "user")
        #expect(try await bed.evaluate(key: String(repeating: "k", count: 200)).status == 200)
        await bed.stop()
    }

    @Test func callersWithoutAValidCredential() async throws {
        let bed = try await TestBed()
        let form = TestForm.evaluation()
        let credentials: [[(String, String)]] = [
            [], [("Authorization", "Bearer sg_wrong")], [("Authorization", "Bearer")],
            [("Authorization", "Basic c2c6c2c=")], [("Authorization", bed.apiKey)],
            [("Authorization", "Bearer \(bed.apiKey.dropLast())")],
            [("Authorization", "Bearer \(bed.apiKey)"), ("Authorization", "Bearer \(bed.apiKey)")],
        ]
        var messages: Set<String?> = []
        for credential in credentials {
            let response = try await TestHTTPClient.exchange(
                port: bed.port,
                "POST",
                "/api/v1/evaluate",
                fields: credential + [form.contentType],
                body: form.bytes
            )
            Self.expectError(response, 401, 40100, "\(credential)")
            #expect(!response.text.contains(bed.apiKey))
            messages.insert(response.json("message"))
        }
        #expect(messages.count == 1, "the answer does not tell why")
        await bed.stop()
    }

    @Test func routesAndMethodsThatDoNotExist() async throws {
        let bed = try await TestBed()
        Self.expectError(try await bed.get("/nothing"), 404, 40400, "unknown route")
        let response = try await bed.get("/api/v1/evaluate")
        Self.expectError(response, 405, 40001, "GET of a POST route")
        #expect(response["allow"]?.contains("POST") == true)
        Self.expectError(try await bed.get("/v1/keys/never-used"), 404, 40400, "unknown key")
        Self.expectError(try await bed.get("/v1/records/eval_000000000000"), 404, 40400, "unknown record")
        Self.expectError(try await bed.get("/api/v1/report/eval_000000000000"), 400, 40001, "unknown report")
        await bed.stop()
    }

    @Test func aKeyThatIsUsedForOtherContent() async throws {
        let bed = try await TestBed()
        #expect(try await bed.evaluate(key: "k").status == 200)
        let other = TestForm.evaluation(audio: TestAudio.wav(frequency: 330))
        let response = try await bed.evaluate(key: "k", form: other)
        Self.expectError(response, 409, 40903, "other audio")
        #expect(response["idempotency-key"] == "k")
        #expect(try await bed.billed() == 1)
        await bed.stop()
    }
}
