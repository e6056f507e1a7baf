import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

/// The platform's codes, and the shapes of errors (contract yugu, section 9).
@Suite struct PlatformCodeTests {
    private struct Table: Decodable {
        struct Entry: Decodable {
            var code: Int
            var http: Int
            var name: String
            var message: String
        }

        var errors: [Entry]
    }

    @Test(.enabled(if: SharedMaterial.isExpected)) func theTableIsThePlatforms() throws {
        let folder = try #require(SharedMaterial.folder)
        let data = try Data(contentsOf: folder.appending(path: "fixtures/errors.json"))
        let entries = try JSONDecoder().decode(Table.self, from: data).errors
        #expect(entries.count == 36)
        #expect(PlatformCode.all.map(\.code) == entries.map(\.code))
        for entry in entries {
            let code = try #require(PlatformCode(entry.code))
            #expect(code.status == entry.http, "\(entry.code)")
            #expect(code.name == entry.name, "\(entry.code)")
            #expect(entry.message.hasPrefix(code.message), "\(entry.code)")
        }
    }

    /// Contract yugu, sections 4.4 and 7.2: 40901 and everything with 429 has `Retry-After`.
    @Test func retryAfterGoesWithItsCodes() {
        for code in PlatformCode.all {
            #expect((code.retryAfter != nil) == (code.status == 429 || code.code == 40_901), "\(code.code)")
        }
        #expect(PlatformCode(40_901)?.retryAfter == 2)
    }

    @Test(arguments: PlatformCode.all.map(\.code)) func everyCodeCanBeHad(code: Int) async throws {
        let entry = try #require(PlatformCode(code))
        try await EvaluateOverSocketTests.withPlatform { platform in
            for text in ["code:\(code)", "code:\(entry.name)"] {
                try platform.inject(text)
                let reply = try await exchange(SpeechRequest(platform).bytes, with: platform)
                #expect(reply.status == entry.status)
                #expect(reply.field("Retry-After") == entry.retryAfter.map { String($0) })
                #expect(reply.field("Content-Type") == "application/json")
                let json = try reply.json()
                #expect(Set(json.keys) == ["code", "message", "timestamp"])
                #expect(json["code"] as? Int == code)
                #expect(json["message"] as? String == entry.message)
            }
            #expect(platform.billed == 0)
            #expect(platform.requests.map(\.code) == [code, code])
        }
    }

    static let shapes: [(fault: String, status: Int, type: String, body: String)] = [
        ("engine:500:string:message=zu%20viel", 500, "application/json", #"{"detail":"zu viel"}"#),
        ("engine:401:bracket:code=2001:message=x", 401, "application/json", #"{"detail":"[2001] x"}"#),
        (
            "engine:422:array:message=field%20required", 422, "application/json",
            #"{"detail":[{"loc":["body"],"msg":"field required","type":"value_error"}]}"#
        ),
        (
            "engine:502:object:message=x", 502, "application/json", #"{"detail":{"code":50200,"message":"x"}}"#
        ),
        (
            "html:504", 504, "text/html",
            "<html><head><title>504</title></head><body>simulated proxy page</body></html>\n"
        ),
        (
            "status:200:raw=html", 200, "text/html",
            "<html><head><title>200</title></head><body>simulated proxy page</body></html>\n"
        ),
    ]

    @Test(arguments: Self.shapes)
    func otherShapesCanBeHad(fault: String, status: Int, type: String, body: String) async throws {
        try await EvaluateOverSocketTests.withPlatform { platform in
            try platform.inject(fault)
            let reply = try await exchange(CompatRequest(platform).bytes, with: platform)
            #expect(reply.status == status)
            #expect(reply.field("Content-Type") == type)
            #expect(reply.text == body)
        }
    }
}
