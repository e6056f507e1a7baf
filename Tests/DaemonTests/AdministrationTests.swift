import Cryptography
import Foundation
import GatewayCore
import Store
import Testing

@testable import Daemon

/// `client` and `claims` while no daemon runs: the verb takes the state directory and works on the store itself.
@Suite struct AdministrationTests {
    static func run(_ words: [String], _ scratch: ScratchDirectory) async -> CapturedRun {
        await CapturedRun.run(words + ["--config", scratch.configuration])
    }

    static func object(_ line: some StringProtocol) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func aClientIsAddedListedAndRevoked() async throws {
        let scratch = try ScratchDirectory()
        let added = await Self.run(["client", "add", "app"], scratch)
        #expect(added.exitCode == .success, "\(added.complaints)")
        let shape = /\{"client":"app","apiKey":"(sg_[A-Za-z0-9_-]{43})","appKey":null,"secretKey":null\}\n/
        let key = String(try #require(added.output.wholeMatch(of: shape)).1)

        _ = await Self.run(["client", "add", "reports", "--scopes", "report"], scratch)
        let lines = await Self.run(["client", "list"], scratch).output.split(separator: "\n")
        #expect(lines.count == 2)
        let first = try Self.object(lines[0])
        #expect(first["client"] as? String == "app")
        #expect(first["scopes"] as? [String] == ["evaluate", "tts", "report", "realtime", "records"])
        #expect(first["revokedAt"] is NSNull)
        #expect(!lines.joined().contains(key), "a key is shown once")

        let revoked = await Self.run(["client", "revoke", "app"], scratch)
        #expect(revoked.exitCode == .success)
        let after = await Self.run(["client", "list"], scratch).output.split(separator: "\n")
        #expect(try Self.object(after[0])["revokedAt"] is String)
        #expect(try Self.object(after[1])["revokedAt"] is NSNull)
    }

    @Test func onlyTheHashOfAKeyIsStored() async throws {
        let scratch = try ScratchDirectory()
        let added = await Self.run(["client", "add", "app"], scratch)
        let key = try #require(try Self.object(added.output)["apiKey"] as? String)
        var stored: [UInt8] = []
        for name in try FileManager.default.contentsOfDirectory(atPath: scratch.file("state")) {
            stored += (try? Data(contentsOf: URL(fileURLWithPath: scratch.file("state/" + name)))) ?? Data()
        }
        let hash = SHA256.hash(of: Array(key.utf8)).bytes
        #expect(Self.contains(stored, hash))
        #expect(!Self.contains(stored, Array(key.utf8)))
        #expect(!Self.contains(stored, Array(key.utf8.dropFirst(3))))
    }

    private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        Data(bytes).range(of: Data(part)) != nil
    }

    @Test func signingCredentialsAreDerivedShownOnceAndRotated() async throws {
        let scratch = try ScratchDirectory()
        let options = ["--signing", "--label", "kiosk", "--addresses", "192.0.2.0/24", "--core-types", "word"]
        let added = try Self.object(await Self.run(["client", "add", "school"] + options, scratch).output)
        // HKDF of the scratch master, computed with Python.
        #expect(added["secretKey"] as? String == "3cT9y9Jlf2Z1pzg-LKGsBS-w5PdaSpleMhWW47uooCU")
        let appKey = try #require(added["appKey"] as? String)
        let rotated = try Self.object(await Self.run(["client", "rotate", "school"], scratch).output)
        #expect(rotated["secretKey"] as? String == "wxE7FqV8dYVaQoruAMJtjLEiNVXE7jQWk65fBewLU-k")
        #expect(rotated["appKey"] as? String == appKey)
        #expect(rotated["apiKey"] as? String != added["apiKey"] as? String)
        #expect(rotated["previousValidUntil"] is String)
        let line = await Self.run(["client", "list"], scratch).output
        let listed = try Self.object(line)
        #expect(listed["appKey"] as? String == appKey && listed["version"] as? Int == 2)
        #expect(listed["label"] as? String == "kiosk" && listed["coreTypes"] as? [String] == ["word"])
        #expect(listed["addresses"] as? [String] == ["192.0.2.0/24"])
        for secret in [added["apiKey"], added["secretKey"], rotated["apiKey"], rotated["secretKey"]] {
            #expect(!line.contains(try #require(secret as? String)))
        }
    }

    @Test func tokensAreMadeAndTakenBack() async throws {
        let scratch = try ScratchDirectory()
        _ = await Self.run(["client", "add", "school"], scratch)
        let made = await Self.run(["token", "--client", "school", "--user", "mei", "--ttl", "30m"], scratch)
        #expect(made.exitCode == .success, "\(made.complaints)")
        let token = try Self.object(made.output)
        #expect(token["token_type"] as? String == "Bearer" && token["expires_in"] as? Int == 1_800)
        #expect((token["access_token"] as? String)?.split(separator: ".").count == 3)
        let more = await Self.run(["token", "--client", "school", "--user", "m", "--scopes", "erase"], scratch)
        #expect(more.exitCode == .usage && more.complaints.first?.contains("erase") == true)
        let nobody = await Self.run(["token", "--client", "nobody", "--user", "mei"], scratch)
        #expect(nobody.exitCode == .noUser)
        let revoked = await Self.run(["token", "revoke", "--client", "school", "--user", "mei"], scratch)
        #expect(revoked.exitCode == .success && revoked.output.contains(#""user":"mei","tokenId":null"#))
    }

    @Test func aNameIsNeverGivenTwice() async throws {
        let scratch = try ScratchDirectory()
        _ = await Self.run(["client", "add", "app"], scratch)
        for _ in 0..<2 {
            let again = await Self.run(["client", "add", "app"], scratch)
            #expect(again.exitCode == .cannotCreate)
            #expect(again.output.isEmpty)
            #expect(again.complaints.first?.contains("names are never given twice") == true)
            _ = await Self.run(["client", "revoke", "app"], scratch)
        }
    }

    @Test func whoIsNotThereCannotBeRevoked() async throws {
        let scratch = try ScratchDirectory()
        let run = await Self.run(["client", "revoke", "app"], scratch)
        #expect(run.exitCode == .noUser)
        #expect(run.complaints == ["speechgate: there is no client \"app\"; speechgate client list shows all"])
        _ = await Self.run(["client", "add", "app"], scratch)
        _ = await Self.run(["client", "revoke", "app"], scratch)
        let again = await Self.run(["client", "revoke", "app"], scratch)
        #expect(again.exitCode == .noUser)
        #expect(again.complaints.first?.contains("is revoked already") == true)
    }

    @Test func anotherHolderOfTheStateDirectoryIs75() async throws {
        let scratch = try ScratchDirectory()
        let store = try Store.open(Store.Configuration(directory: scratch.file("state")))
        let run = await Self.run(["client", "list"], scratch)
        #expect(run.exitCode == .temporaryFailure)
        #expect(run.complaints.first?.contains("uses this state directory \(scratch.file("state"))") == true)
        await store.close()
        #expect(await Self.run(["client", "list"], scratch).exitCode == .success)
    }

    // MARK: - Claims

    /// Leaves claims behind as a crash would.
    static func leaveClaims(_ keys: [(key: String, user: String?)], in scratch: ScratchDirectory) async throws {
        let store = try Store.open(Store.Configuration(directory: scratch.file("state")))
        for (serial, entry) in keys.enumerated() {
            let key = try #require(IdempotencyKey(entry.key))
            _ = try await store.claim(
                NewClaim(
                    scope: CallScope(client: "app", user: entry.user, key: key).hash,
                    client: "app",
                    user: entry.user,
                    key: entry.key,
                    operation: "evaluate",
                    fingerprint: [UInt8](repeating: 7, count: 32),
                    appKey: "app-key-1",
                    upstreamKey: "0123456789abcdef0123456789abcdef",
                    sentAt: 1_700_000_000_000,
                    flight: FlightID(process: 1, serial: UInt64(serial))
                )
            )
        }
        await store.close()
    }

    @Test func claimsThatACrashLeftAreListedAndSettled() async throws {
        let scratch = try ScratchDirectory()
        try await Self.leaveClaims([("k1", nil), ("k1", "u7"), ("k3", nil)], in: scratch)
        let lines = await Self.run(["claims", "list"], scratch).output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(
            String(lines[1]) == #"{"key":"k1","client":"app","user":"u7","operation":"evaluate","state":"unknown","#
                + #""unresolved":false,"upstreamKey":"0123456789abcdef0123456789abcdef","#
                + #""firstSentAt":"2023-11-14T22:13:20.000Z"}"#
        )

        let free = await Self.run(
            ["claims", "settle", "k1", "--client", "app", "--user", "u7", "--not-billed"],
            scratch
        )
        #expect(free.exitCode == .success, "\(free.complaints)")
        #expect(free.output == #"{"key":"k1","client":"app","user":"u7","state":"free"}"# + "\n")
        let billed = await Self.run(["claims", "settle", "k3", "--client", "app", "--billed"], scratch)
        #expect(billed.output == #"{"key":"k3","client":"app","user":null,"state":"settled_billed"}"# + "\n")

        let states = await Self.run(["claims", "list"], scratch).output.split(separator: "\n").map { line in
            let object = try? Self.object(line)
            return "\(object?["key"] ?? "?") \(object?["state"] ?? "?")"
        }
        #expect(states == ["k1 unknown", "k3 settled_billed"])
    }

    @Test func aListLongerThanOnePageIsWhole() async throws {
        let scratch = try ScratchDirectory()
        let count = 2 * Administration.pageLength + 1
        try await Self.leaveClaims((0..<count).map { ("k\($0)", nil) }, in: scratch)
        let lines = await Self.run(["claims", "list"], scratch).output.split(separator: "\n")
        #expect(lines.count == count)
        #expect(Set(lines).count == count)
    }

    @Test func whatIsNotThereCannotBeSettled() async throws {
        let scratch = try ScratchDirectory()
        try await Self.leaveClaims([("k1", "u7")], in: scratch)
        let run = await Self.run(["claims", "settle", "k1", "--client", "app", "--billed"], scratch)
        #expect(run.exitCode == .dataError)
        #expect(
            run.complaints == [
                "speechgate: no call of client \"app\" without a user has the key \"k1\"; "
                    + "speechgate claims list shows what can be settled"
            ]
        )
        let malformed = await Self.run(["claims", "settle", "k 1", "--client", "app", "--billed"], scratch)
        #expect(malformed.exitCode == .usage)
    }
}
