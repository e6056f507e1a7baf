import Cryptography
import Testing

@testable import GatewayCore

@Suite struct AccessTokenTests {
    /// Computed with Python's `hmac` and `json`.
    static let golden =
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImM2ODYzMzA4LjEifQ."
        + "eyJpc3MiOiJzcGVlY2hnYXRlIiwic3ViIjoibWVpIiwiY2xpZW50Ijoic2Nob29sIiwianRpIjoiQUFFQ0F3UUZCZ2NJQ1FvTERBME9EdyIs"
        + "ImlhdCI6MTgwMDAwMDAwMCwibmJmIjoxODAwMDAwMDAwLCJleHAiOjE4MDAwMDcyMDAsInNjb3BlIjoiZXZhbHVhdGUgcmVwb3J0Iiwi"
        + "Y2FsbHMiOjN9.dHipLcZYFED9VK77fk2Myg7REUI12P5uH6ThUoW76eo"
    static let token = AccessToken(
        id: "AAECAwQFBgcICQoLDA0ODw",
        client: "school",
        user: "mei",
        scopes: [.evaluate, .report],
        issuedAt: 1_800_000_000,
        notBefore: 1_800_000_000,
        expiresAt: 1_800_007_200,
        maximumCalls: 3
    )
    private let masters = MasterKeys(current: MasterKeysTests.master)
    private var key: Secret { self.masters.tokenKey(client: "school", version: 1).key }

    @Test func aTokenIsWrittenAndReadAsTheStandardHasIt() throws {
        #expect(
            Self.token.encode(keyID: self.masters.tokenKey(client: "school", version: 1).id, key: self.key)
                == Self.golden
        )
        let read = try #require(UnverifiedToken(Self.golden))
        #expect(read.client == "school" && read.keyID == "c6863308.1")
        #expect(read.verified(with: self.key) == Self.token)
        #expect(read.verified(with: self.masters.tokenKey(client: "school", version: 2).key) == nil)
        #expect(read.verified(with: self.masters.tokenKey(client: "other", version: 1).key) == nil)
    }

    @Test func anAlteredTokenIsOfNobody() throws {
        let characters = Array(Self.golden)
        var accepted = 0
        for index in characters.indices where characters[index] != "." {
            var altered = characters
            altered[index] = characters[index] == "A" ? "B" : "A"
            if UnverifiedToken(String(altered))?.verified(with: self.key) != nil { accepted += 1 }
        }
        #expect(accepted == 0)
    }

    @Test(arguments: [
        #"{"alg":"none","typ":"JWT","kid":"c6863308.1"}"#,
        #"{"alg":"RS256","typ":"JWT","kid":"c6863308.1"}"#,
        #"{"alg":"HS512","typ":"JWT","kid":"c6863308.1"}"#,
        #"{"alg":"hs256","typ":"JWT","kid":"c6863308.1"}"#,
        #"{"typ":"JWT","kid":"c6863308.1"}"#,
        #"{"alg":"HS256","kid":"c6863308.1"}"#,
        #"{"alg":"HS256","typ":"jwt","kid":"c6863308.1"}"#,
        #"{"alg":"HS256","typ":"JWT"}"#,
        #"{"alg":"HS256","typ":"JWT","kid":1}"#,
        #"{"alg":"HS256","typ":"JWT","kid":"c6863308.1","crit":["exp"]}"#,
        #"{"alg":"HS256","typ":"JWT","kid":"c6863308.1","jwk":{}}"#,
        #"{"alg":"HS256","alg":"none","typ":"JWT","kid":"c6863308.1"}"#,
        #"["HS256","JWT","c6863308.1"]"#,
        "",
    ])
    func aHeaderOfAnotherKindIsRefusedThoughItIsSignedRightly(header: String) {
        #expect(UnverifiedToken(self.signed(header: header, claims: Self.claims)) == nil)
    }

    private static let claims =
        #"{"iss":"speechgate","sub":"mei","client":"school","jti":"x","iat":1,"nbf":1,"exp":2,"#
        + #""scope":"evaluate"}"#

    @Test func claimsThatAreMissingOrOfAnotherTypeAreRefused() {
        let header = #"{"alg":"HS256","typ":"JWT","kid":"c6863308.1"}"#
        func verified(_ claims: String) -> AccessToken? {
            UnverifiedToken(self.signed(header: header, claims: claims))?.verified(with: self.key)
        }
        #expect(verified(Self.claims) != nil)
        let changes = [
            (#""iss":"speechgate""#, #""iss":"other""#), (#""sub":"mei","#, ""), (#""mei""#, #""a b""#),
            (#""jti":"x","#, ""), (#""iat":1,"#, ""), (#""nbf":1,"#, ""), (#""exp":2,"#, ""),
            (#""exp":2"#, #""exp":"2""#), (#""exp":2"#, #""exp":2e9"#), (#""exp":2"#, #""exp":9223372036854775807"#),
            (#""exp":2"#, #""exp":-2"#), (#""scope":"evaluate""#, #""scope":["evaluate"]"#),
            (#""iat":1"#, #""calls":"1","iat":1"#), (#""iat":1"#, #""calls":null,"iat":1"#),
            (#""iat":1"#, #""sub":"eve","iat":1"#),
        ]
        for (old, new) in changes {
            let claims = Self.claims.replacing(old, with: new)
            #expect(claims != Self.claims)
            #expect(verified(claims) == nil, "\(claims)")
        }
    }

    @Test func theFormIsExact() {
        let parts = Self.golden.split(separator: ".").map(String.init)
        let texts = [
            "", ".", "..", "...", parts[0], parts[0] + "." + parts[1], Self.golden + ".", "." + Self.golden,
            Self.golden + "=", Self.golden + " ", parts[0] + "=." + parts[1] + "." + parts[2],
            parts[0] + "." + parts[1] + ".", Self.golden + String(repeating: "A", count: 1024),
        ]
        for text in texts { #expect(UnverifiedToken(text) == nil, "\(text)") }
    }

    /// Signed with the right key, whatever it says.
    private func signed(header: String, claims: String) -> String {
        let text =
            Base64.encode(Array(header.utf8), as: .urlSafe) + "." + Base64.encode(Array(claims.utf8), as: .urlSafe)
        let code = HMACSHA256.authenticationCode(for: text, key: self.key)
        return text + "." + Base64.encode(code, as: .urlSafe)
    }
}
