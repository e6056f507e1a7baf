import Cryptography
import HTTPWire
import Store
import TestSupport
import Testing

@testable import GatewayCore

/// Signatures over content: forms A and B, JSON.
@Suite struct SignedContentTests {
    private static let config = #"{"coreType":"word","referenceText":"苹果","scale":1e2,"slack":0.50,"empty":""}"#
    private static let formA = "config=\(config)&note=a&b=c"
    private static let formB = "coreType=word&note=a&b=c&referenceText=苹果&scale=1e2&slack=0.50"
    private static let plainB = "coreType=word&note=a&b=c&referenceText=苹果&scale=100&slack=0.5"

    private let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func storage(unproven: Int) throws -> BodyStorage {
        var configuration = BodyStorage.Configuration()
        configuration.unprovenBudget = unproven
        return BodyStorage(
            configuration: configuration,
            spool: try SpoolDirectory(SpoolDirectory.Configuration(directory: self.directory.path)),
            fingerprintKey: Secret("0123456789abcdef")
        )
    }

    /// What a client sends, in pieces of 100 bytes.
    private func receive(
        signing text: String,
        _ form: TestForm,
        by bench: PrincipalBench,
        unproven: Int = 64 << 20,
        fields: [(HTTPField.Name, String)]? = nil
    ) async throws -> Principal {
        let body = form.bytes
        let fields = (fields ?? bench.signed(text)) + [(.contentType, form.contentType.1)]
        let exchange = PrincipalBench.exchange(fields, body: PiecewiseBody(bytes: body))
        let admission = try bench.access.admit(exchange, for: .evaluate)
        return try await exchange.receiveForm(
            fileParts: ["audio"],
            storage: try self.storage(unproven: unproven),
            admission: admission
        ).principal
    }

    private static func form(filename: String? = nil, note: String = "a&b=c", audio: [UInt8] = [1, 2, 3]) -> TestForm {
        TestForm()
            .adding("config", Array(config.utf8), filename: filename, contentType: "application/json")
            .adding("note", Array(note.utf8))
            .adding("audio", audio, filename: "a.wav")
    }

    @Test(arguments: [formA, formB, plainB])
    func bothFormsAndBothWaysToReadNumbersAreTaken(text: String) async throws {
        let bench = try await PrincipalBench()
        let principal = try await self.receive(signing: text, Self.form(), by: bench)
        #expect(principal.client == "school" && principal.credential == .signature)
        let blob = try await self.receive(signing: text, Self.form(filename: "blob"), by: bench)
        #expect(blob.client == "school")
        await bench.close()
    }

    @Test func aTextThatWasChangedOrAddedAfterSigningIsRefused() async throws {
        let bench = try await PrincipalBench()
        let forms = [Self.form(note: "changed"), Self.form().adding("more", Array("x".utf8))]
        for form in forms {
            for text in [Self.formA, Self.formB] {
                let error = await self.error { try await self.receive(signing: text, form, by: bench) }
                #expect(error?.status == 401 && error?.code == .unauthorized)
            }
        }
        // What cannot be seen (contract yugu, section 3.3).
        _ = try await self.receive(signing: Self.formA, Self.form(audio: [9]), by: bench)
        await bench.close()
    }

    @Test func aNonceIsSpentByTheWholeForm() async throws {
        let bench = try await PrincipalBench()
        let fields = bench.signed(Self.formA, nonce: "once")
        _ = try await self.receive(signing: "", Self.form(), by: bench, fields: fields)
        let error = await self.error { try await self.receive(signing: "", Self.form(), by: bench, fields: fields) }
        #expect(error?.status == 401 && error?.message.contains("X-Nonce") == true)
        await bench.close()
    }

    @Test func contentOfUnknownSendersSharesALimitUntilTheTextsProveThem() async throws {
        let bench = try await PrincipalBench()
        let large = Self.form(audio: [UInt8](repeating: 7, count: 100_000))
        // The texts come first and are right: the recording does not count.
        _ = try await self.receive(signing: Self.formA, large, by: bench, unproven: 2_000)
        let wrong = await self.error {
            try await self.receive(signing: "wrong", large, by: bench, unproven: 2_000)
        }
        #expect(wrong?.status == 503 && wrong?.reason == "unproven_full" && wrong?.retryAfter != nil)
        // A text behind the recording: nobody can know before.
        let late = TestForm().adding("audio", [UInt8](repeating: 7, count: 100_000), filename: "a.wav")
            .adding("config", Array(Self.config.utf8))
        let refused = await self.error {
            try await self.receive(signing: "config=\(Self.config)", late, by: bench, unproven: 2_000)
        }
        #expect(refused?.status == 503)
        _ = try await self.receive(signing: "config=\(Self.config)", late, by: bench)
        await bench.close()
    }

    @Test func theScalarsOfAJSONObjectAreSigned() async throws {
        let bench = try await PrincipalBench()
        let json = #"{"text":"hi","speed":1.0,"pitch":1e-7,"loud":true,"style":null,"list":[1],"more":{},"none":""}"#
        let body = try ReceivedJSON(Array(json.utf8), digest: KeyedDigest(key: Secret("0123456789abcdef")))
        for text in ["loud=true&pitch=1e-7&speed=1.0&text=hi", "loud=true&pitch=0.0000001&speed=1&text=hi"] {
            let exchange = PrincipalBench.exchange(bench.signed(text), framing: .length(json.utf8.count))
            let admission = try bench.access.admit(exchange, for: .tts)
            #expect(try admission.principal(of: body).client == "school")
        }
        let exchange = PrincipalBench.exchange(bench.signed("text=hi"), framing: .length(1))
        let admission = try bench.access.admit(exchange, for: .tts)
        #expect(throws: GatewayError.self) { try admission.principal(of: body) }
        await bench.close()
    }

    private func error(_ body: () async throws -> Principal) async -> GatewayError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? GatewayError
        }
    }
}
