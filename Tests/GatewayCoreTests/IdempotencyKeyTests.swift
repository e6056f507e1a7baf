import HTTPWire
import Testing

@testable import GatewayCore

@Suite struct IdempotencyKeyTests {
    private static func head(_ fields: [(String, String)]) throws -> HTTPRequestHead {
        var list = HTTPFields()
        for (name, value) in fields { list.append(try #require(HTTPField.Name(name)), value) }
        return HTTPRequestHead(
            method: .post,
            target: "/",
            path: "/",
            query: nil,
            authority: nil,
            version: .http11,
            fields: list,
            framing: .none,
            isPersistent: true,
            expectsContinue: false
        )
    }

    @Test(
        arguments: [
            ([("Idempotency-Key", "abc")], "abc"),
            ([("X-Idempotency-Key", "abc")], "abc"),
            ([("idempotency-key", "abc"), ("X-Idempotency-Key", "abc")], "abc"),
            ([("Idempotency-Key", "abc"), ("X-Idempotency-Key", "abd")], nil),
            ([("Idempotency-Key", "abc"), ("Idempotency-Key", "abd")], nil),
            ([("Idempotency-Key", "")], nil),
            ([("Idempotency-Key", "a b")], nil),
            ([("Idempotency-Key", "\u{E4}")], nil),
            ([("Idempotency-Key", String(repeating: "k", count: 200))], String(repeating: "k", count: 200)),
            ([("Idempotency-Key", String(repeating: "k", count: 201))], nil),
        ] as [([(String, String)], String?)]
    )
    func ofAHead(fields: [(String, String)], key: String?) throws {
        let head = try Self.head(fields)
        if let key {
            #expect(try IdempotencyKey(of: head).text == key)
        } else {
            #expect(throws: GatewayError.self) { try IdempotencyKey(of: head) }
        }
    }

    @Test func aMissingKeyIsMadeUpAndNeverTwice() throws {
        let head = try Self.head([])
        let keys = try (0..<100).map { _ in try IdempotencyKey(of: head).text }
        #expect(Set(keys).count == 100)
        #expect(keys.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test func uniqueIDsAreSixteenHexDigitsAndNeverRepeat() {
        let ids = (0..<10_000).map { _ in UniqueID.next() }
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.count == 16 && $0.allSatisfy { $0.isHexDigit && !$0.isUppercase } })
    }

    @Test func scopesThatJoinToTheSameTextDiffer() throws {
        let ab = try #require(IdempotencyKey("ab"))
        let b = try #require(IdempotencyKey("b"))
        let scopes = [
            CallScope(client: "x", user: nil, key: ab), CallScope(client: "xa", user: nil, key: b),
            CallScope(client: "x", user: "a", key: b), CallScope(client: "x", user: "", key: ab),
        ]
        #expect(Set(scopes.map(\.hash)).count == 4)
    }

    /// 1767323045678 ms is what `date -u -d 2026-01-02T03:04:05.678Z +%s%3N` prints, and so on.
    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00.000Z"), (1_767_323_045_678, "2026-01-02T03:04:05.678Z"),
        (1_709_208_000_001, "2024-02-29T12:00:00.001Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    ])
    func timestamp(milliseconds: Int64, text: String) {
        #expect(Timestamp.text(unixMilliseconds: milliseconds) == text)
    }
}
