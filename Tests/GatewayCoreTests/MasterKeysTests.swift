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
        let (id, key) = masters.tokenKey(client: "school", version: 1)
        #expect(id == "c6863308.1")
        #expect(
            key.withBytes { Hex.encode($0) } == "173778d8a62a32b56207bb4f969d322121a7d6f24c22db7d3a6ded9d399f37d9"
        )
    }

    @Test func theMasterBeforeIsAcceptedAndGivesNothingOut() {
        let other = Secret(String(repeating: "other-master", count: 4))
        let masters = MasterKeys(current: other, previous: Self.master)
        #expect(masters.tokenKey(client: "school", version: 1).id != "c6863308.1")
        #expect(masters.tokenKey(named: "c6863308.1", client: "school")?.version == 1)
        for name in ["c6863309.1", "c6863308.01", "c6863308.+1", "c6863308", "c6863308.", ".1", "", "."] {
            #expect(masters.tokenKey(named: name, client: "school") == nil, "\(name)")
        }
        let secrets = masters.signingSecrets(client: "school", versions: [1])
        #expect(secrets.count == 2)
        #expect(secrets.contains(Secret("3cT9y9Jlf2Z1pzg-LKGsBS-w5PdaSpleMhWW47uooCU")))
    }

    @Test func mastersAreReplacedWhileTheyServe() {
        let masters = MasterKeys(current: Self.master)
        let addresses = masters.addressKeys
        masters.replace(current: Secret(String(repeating: "other-master", count: 4)), previous: Self.master)
        #expect(masters.tokenKey(named: "c6863308.1", client: "school")?.version == 1)
        #expect(masters.tokenKey(client: "school", version: 1).id != "c6863308.1")
        #expect(masters.addressKeys.count == 2 && masters.addressKeys[1] == addresses[0])
        masters.replace(current: Secret(String(repeating: "other-master", count: 4)), previous: nil)
        #expect(masters.tokenKey(named: "c6863308.1", client: "school") == nil)
        #expect(masters.addressKeys.count == 1)
    }
}
