/// `claims …`, with its help.
extension VerbGrammar {
    /// In the order of the help.
    static let claims: [VerbGrammar] = [
        VerbGrammar(
            words: ["claims", "list"],
            options: [Self.config],
            summary: "Prints the calls that were sent and have no answer, one JSON line each.",
            details: [
                "Calls that are running now are among them. \"unresolved\" is true where bytes reached the platform and",
                "neither an answer nor a code came back; give \"upstreamKey\" to the platform's support.",
            ],
            examples: ["speechgate claims list"]
        ),
        VerbGrammar(
            words: ["claims", "settle"],
            positionals: ["KEY"],
            options: [
                Self.config,
                Option(name: "--client", value: "NAME", help: "whose key it is (required)"),
                Option(name: "--user", value: "USER", help: "which of the client's users sent it, if it named one"),
                Option(name: "--billed", value: nil, help: "the platform billed it: the key stays and is answered 409"),
                Option(name: "--not-billed", value: nil, help: "it did not: the key is free again"),
            ],
            summary: "Decides a call whose outcome is unknown, when the platform has been asked.",
            details: ["One of --billed and --not-billed is required."],
            examples: ["speechgate claims settle 7f3a-lesson4 --client school-app --user u17 --not-billed"]
        ),
    ]
}
