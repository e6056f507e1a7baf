import Foundation
import TestSupport
import Testing

/// The platform and the gateway in front of it, asked the same.
struct SideBySide {
    let bed: TestBed

    /// The same request on both sides, the platform first.
    struct Answers {
        let platform: TestResponse
        let gateway: TestResponse
    }

    /// - Parameter settings: The gateway asks the platform once for each request, unless they say otherwise.
    init(_ settings: TestBed.Settings = TestBed.Settings(yugu: ["attempts": "1"])) async throws {
        self.bed = try await TestBed(settings)
    }

    func both(_ call: ComparedCall) async throws -> Answers {
        Answers(platform: try await self.platform(call), gateway: try await self.gateway(call))
    }

    /// The same request on both sides, each of which meets the fault.
    func both(_ call: ComparedCall, meeting fault: String) async throws -> Answers {
        try await self.bed.faults(fault, fault)
        return try await self.both(call)
    }

    /// As a client of the platform, signed with the account's secret.
    func platform(_ call: ComparedCall) async throws -> TestResponse {
        let account = SigningCredential(appKey: self.bed.appKey, secretKey: self.bed.secretKey)
        let fields = call.hasCredentials ? try await account.fields(signing: call.signedText) : []
        return try await Self.send(call, port: self.bed.simulatorPort, fields: fields)
    }

    /// As a client of the gateway that signs as it would at the platform.
    func gateway(_ call: ComparedCall, signing credential: SigningCredential) async throws -> TestResponse {
        let fields = try await credential.fields(signing: call.signedText)
        return try await Self.send(call, port: self.bed.port, fields: fields)
    }

    /// As a client of the gateway, with an API key.
    func gateway(_ call: ComparedCall) async throws -> TestResponse {
        let fields = call.hasCredentials ? [("Authorization", "Bearer \(self.bed.apiKey)")] : []
        return try await Self.send(call, port: self.bed.port, fields: fields)
    }

    private static func send(
        _ call: ComparedCall,
        port: UInt16,
        fields: [(String, String)]
    ) async throws -> TestResponse {
        var fields = fields
        if let contentType = call.contentType { fields.append(("Content-Type", contentType)) }
        if let key = call.key { fields.append(("Idempotency-Key", key)) }
        return try await TestHTTPClient.exchange(port: port, call.method, call.path, fields: fields, body: call.body)
    }

    /// Serves a body to both sides, in place of any processing.
    func serve(_ body: [UInt8], status: Int = 200, times: Int = 2) async throws {
        let response = try await TestHTTPClient.exchange(
            port: self.bed.simulatorPort,
            "POST",
            "/__sim/serve?status=\(status)&times=\(times)",
            fields: [("Content-Type", "application/json")],
            body: body
        )
        #expect(response.status == 200, "\(response.text)")
    }
}

extension SideBySide.Answers {
    /// States that both say the same, down to what is new in every answer: record ids and times.
    func expectEqual(
        status: Int,
        code: Int? = nil,
        _ what: String,
        at location: SourceLocation = #_sourceLocation
    ) {
        self.expectEqualOutcome(status: status, code: code, what, at: location)
        let (platform, gateway) = (Self.timeless(self.platform.text), Self.timeless(self.gateway.text))
        #expect(platform == gateway, "\(what)", sourceLocation: location)
        for name in ["content-type", "retry-after", "idempotency-replayed"] {
            #expect(self.platform[name] == self.gateway[name], "\(what): \(name)", sourceLocation: location)
        }
    }

    /// States that both come to the same, where the gateway says it in its own words, since it does not ask.
    func expectEqualOutcome(
        status: Int,
        code: Int?,
        _ what: String,
        at location: SourceLocation = #_sourceLocation
    ) {
        for (side, answer) in [("platform", self.platform), ("gateway", self.gateway)] {
            #expect(answer.status == status, "\(what), \(side): \(answer.text)", sourceLocation: location)
            if let code {
                #expect(answer.json("code") == "\(code)", "\(what), \(side): \(answer.text)", sourceLocation: location)
            }
        }
    }

    /// Names of files of made speech are as new as ids.
    private static func timeless(_ text: String) -> String {
        text.replacing(#/(eval|conn|open)_[0-9a-f]{12}/#, with: "").replacing(#/"timestamp":\d+/#, with: "")
            .replacing(#/[0-9a-f]{32}\.(mp3|wav|ogg)/#, with: "")
    }
}
