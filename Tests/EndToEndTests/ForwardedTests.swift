import Foundation
import TestSupport
import Testing

/// Behind a proxy that is trusted, an address is what that proxy says, and never what a client says.
@Suite struct ForwardedTests {
    private static func bed(_ proxies: String) async throws -> (bed: TestBed, key: String) {
        var settings = TestBed.Settings()
        settings.gateway["trustedProxies"] = proxies
        let bed = try await TestBed(settings)
        let added = try await bed.speechgate("client", "add", "near", "--addresses", "2001:db8::/32,192.0.2.7")
        return (bed, try #require(JSONText.member("apiKey", of: Array(added.output.utf8))))
    }

    private static func status(_ bed: TestBed, _ key: String, _ fields: [(String, String)]) async throws -> Int {
        let all = [("Authorization", "Bearer \(key)")] + fields
        return try await TestHTTPClient.exchange(port: bed.port, "GET", "/v1/whoami", fields: all).status
    }

    @Test func theProxysWordCountsAndNobodyElses() async throws {
        let (bed, key) = try await Self.bed(#"["127.0.0.1", "10.0.0.0/8"]"#)
        let accepted: [[(String, String)]] = [
            [("Forwarded", #"for="[2001:db8::7]:4711";proto=https"#)],
            [("Forwarded", "for=198.51.100.1"), ("forwarded", "For=192.0.2.7, for=10.0.0.3")],
            [("X-Forwarded-For", "198.51.100.1, 192.0.2.7:4711")],
            [("Forwarded", "for=192.0.2.7"), ("X-Forwarded-For", "192.0.2.7")],
            // Whatever a client wrote in a line of its own.
            [("Forwarded", #"for="192.0.2.9"#), ("Forwarded", "for=192.0.2.7")],
        ]
        for fields in accepted { #expect(try await Self.status(bed, key, fields) == 200, "\(fields)") }
        let refused: [[(String, String)]] = [
            [], [("Forwarded", "for=192.0.2.7, for=198.51.100.1")], [("Forwarded", "for=192.0.2.7, for=unknown")],
            [("Forwarded", "for=192.0.2.7, for=_hidden")], [("Forwarded", #"for=192.0.2.7, for="198.51.100.1"#)],
            [("Forwarded", #"for=192.0.2.7;x=", for=198.51.100.1"#)], [("Forwarded", "for=192.0.2.7, for=2001:db8::1")],
            [("Forwarded", "for=192.0.2.7"), ("X-Forwarded-For", "198.51.100.1")],
            [("Forwarded", "for=198.51.100.1"), ("X-Forwarded-For", "192.0.2.7")],
            [("X-Forwarded-For", "192.0.2.7, 198.51.100.1")], [("X-Forwarded-For", "192.0.2.7, unknown")],
        ]
        for fields in refused { #expect(try await Self.status(bed, key, fields) == 403, "\(fields)") }
        // A client without such a list is served, and the log says why its address is not known.
        let fields = [("Forwarded", "for=192.0.2.7"), ("X-Forwarded-For", "198.51.100.1")]
        #expect(try await bed.get("/v1/whoami", fields: fields).status == 200)
        await bed.stop(keepingFiles: true)
        let log = try String(contentsOf: bed.gatewayLog, encoding: .utf8)
        #expect(
            log.contains(#""client.address":"unknown","client.address_doubt":"contradictory","client.id":"school""#)
        )
        bed.removeFiles()
    }

    @Test func withoutATrustedProxyNobodyIsBelieved() async throws {
        let (bed, key) = try await Self.bed(#"["10.0.0.0/8"]"#)
        for name in ["Forwarded", "X-Forwarded-For"] {
            let value = name == "Forwarded" ? "for=192.0.2.7" : "192.0.2.7"
            #expect(try await Self.status(bed, key, [(name, value)]) == 403)
        }
        await bed.stop()
    }
}
