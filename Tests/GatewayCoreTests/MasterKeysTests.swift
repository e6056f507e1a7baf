import Cryptography
import Testing

@testable import GatewayCore

/// Expected values were computed with Python's `hmac`, after RFC 5869.
@Suite struct MasterKeysTests {
    static let master = Secret(Hex.decode(String(repeating: "0123456789abcdef", count: 4)) ?? [])

    @Test func derivedSecretsAreThoseOfHKDF() {
        let masters = MasterKeys(current: Self.master)
        #expect(masters.signingSecret(client: "school", version: 1) == "3cT9y9Jlf2Z1pzg-LKGsBS-w5PdaSpleMhWW47uooCU")
        #expect(masters.signingSecret(client: "school", version: 2) == "wxE7FqV8dYVaQoruAMJtjLEiNVXE7jQWk65fBewLU-k")
        #expect(masters.tokenKeyID(version: 1) == "c6863308.1")
        let key = masters.tokenKey(client: "school", version: 1)
        #expect(
            key.withBytes { Hex.encode($0) } == "173778d8a62a32b56207bb4f969d322121a7d6f24c22db7d3a6ded9d399f37d9"
        )
    }

    @Test func theMasterBeforeIsAcceptedAndGivesNothingOut() {
        let other = Secret(String(repeating: "other-master", count: 4))
        let masters = MasterKeys(current: other, previous: Self.master)
        #expect(masters.tokenKeyID(version: 1) != "c6863308.1")
        #expect(masters.tokenKey(named: "c6863308.1", client: "school")?.version == 1)
        for name in ["c6863309.1", "c6863308.01", "c6863308.+1", "c6863308", "c6863308.", ".1", "", "."] {
            #expect(masters.tokenKey(named: name, client: "school") == nil, "\(name)")
        }
        let secrets = masters.signingSecrets(client: "school", versions: [1])
        #expect(secrets.count == 2)
        #expect(secrets.contains(Secret("3cT9y9Jlf2Z1pzg-LKGsBS-w5PdaSpleMhWW47uooCU")))
    }
}
