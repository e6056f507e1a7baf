internal import GatewayCore

/// `client …` and `token …`, with their help.
extension VerbGrammar {
    /// In the order of the help; the longer of two that begin alike comes first: the first that fits is taken.
    static let clients: [VerbGrammar] = [
        VerbGrammar(
            words: ["client", "add"],
            positionals: ["NAME"],
            options: [
                Self.config,
                Option(
                    name: "--scopes",
                    value: "LIST",
                    help: "what the client may do, separated by commas, or \"all\"; of\n\(Scope.list)\n"
                        + "(default: \(Scope.defaultList))"
                ),
                Option(name: "--label", value: "TEXT", help: "a note for operators"),
                Option(name: "--expires", value: "DURATION", help: "its credentials end after this time, such as 90d"),
                Option(name: "--core-types", value: "LIST", help: "the kinds of evaluation it may use (default: all)"),
                Option(
                    name: "--addresses",
                    value: "LIST",
                    help:
                        "where its key and signatures may come from, in CIDR form, or\n\"unix\" (default: everywhere);"
                        + " its users' tokens are not bound"
                ),
                Option(
                    name: "--signing",
                    value: nil,
                    help:
                        "a signing credential too, for SDKs that can only sign; it covers\nneither time nor recording: "
                        + "whoever sees a request can repeat it"
                ),
            ],
            summary: "Makes a client and prints its API key, this once.",
            details: [
                "Prints one JSON line. The key is not stored, only its SHA-256: keep it. A name is 1 to 63 characters of",
                "a-z, 0-9, '.', '_' and '-', and is never given to another client, not even after \"client revoke\".",
            ],
            examples: [
                "speechgate client add school-app", "speechgate client add reports --scopes report,records",
                "speechgate client add kiosk --signing --addresses 192.0.2.0/24 --core-types word,sentence",
            ]
        ),
        VerbGrammar(
            words: ["client", "list"],
            options: [Self.config],
            summary: "Prints all clients, one JSON line each, without keys.",
            examples: ["speechgate client list"]
        ),
        VerbGrammar(
            words: ["client", "rotate"],
            positionals: ["NAME"],
            options: [
                Self.config,
                Option(name: "--overlap", value: "DURATION", help: "how long the old ones stay valid (default: 24h)"),
            ],
            summary: "Gives a client a new API key and signing secret, and prints them, this once.",
            details: [
                "Old key, signing secret and tokens stay valid for the overlap; what is older ends at once. After a leak use",
                "--overlap 0s. The appKey stays the same.",
            ],
            examples: ["speechgate client rotate school-app", "speechgate client rotate school-app --overlap 0s"]
        ),
        VerbGrammar(
            words: ["client", "revoke"],
            positionals: ["NAME"],
            options: [Self.config],
            summary: "Ends a client: its key and all its tokens are refused from now on. Its records stay.",
            examples: ["speechgate client revoke school-app"]
        ),
        VerbGrammar(
            words: ["token", "revoke"],
            options: [
                Self.config,
                Option(name: "--client", value: "NAME", help: "whose tokens they are (required)"),
                Option(name: "--id", value: "ID", help: "the one token with this tokenId"),
                Option(name: "--user", value: "USER", help: "all tokens that this user has now"),
                Option(name: "--all", value: nil, help: "all tokens that the client's users have now"),
            ],
            summary: "Takes tokens back: they are refused from now on.",
            details: ["One of --id, --user and --all is required. New tokens can be made at once."],
            examples: ["speechgate token revoke --client school-app --user mei"]
        ),
        VerbGrammar(
            words: ["token"],
            options: [
                Self.config,
                Option(name: "--client", value: "NAME", help: "the client whose user it is (required)"),
                Option(name: "--user", value: "USER", help: "whom the token is for (required)"),
                Option(name: "--ttl", value: "DURATION", help: "how long it is valid, at most 24h (default: 2h)"),
                Option(
                    name: "--scopes",
                    value: "LIST",
                    help: "what it may do, of what the client may\n(default: "
                        + "\(Scope.tokenDefaults.map(\.rawValue).joined(separator: ",")))"
                ),
                Option(name: "--maximum-calls", value: "N", help: "how many calls it may make; replays do not count"),
            ],
            summary: "Makes a token for one user of a client and prints it, this once.",
            details: ["Prints one JSON line, as POST /v1/tokens answers."],
            examples: ["speechgate token --client school-app --user mei --ttl 30m"]
        ),
    ]
}
