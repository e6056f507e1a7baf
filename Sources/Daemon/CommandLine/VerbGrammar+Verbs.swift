internal import GatewayCore

/// All verbs, with their help.
extension VerbGrammar {
    static let config = Option(
        name: "--config",
        value: "FILE",
        help: "the configuration; else $SPEECHGATE_CONFIG, else \(ConfigurationFile.defaultPath)"
    )

    /// All verbs, in the order of the help.
    static let all: [VerbGrammar] =
        [
            Self.serve, Self.check, Self.clientAdd, Self.clientList, Self.clientRotate, Self.clientRevoke,
            // The longer one first: the first that fits is taken.
            Self.tokenRevoke, Self.token, Self.claimsList, Self.claimsSettle,
        ] + Self.records + [Self.reload, Self.sign, Self.stream]

    static let serve = VerbGrammar(
        words: ["serve"],
        options: [
            Self.config,
            Option(
                name: "--listen",
                value: "ADDRESS",
                isRepeatable: true,
                help: "listen here and not where the configuration says"
            ),
            Option(name: "--ready-file", value: "FILE", help: "write the line of standard output to this file as well"),
        ],
        summary: "Runs the gateway until SIGTERM or SIGINT.",
        details: [
            "When all listeners are open, one JSON line with their addresses goes to standard output:",
            #"  {"gateway":"http://127.0.0.1:8790","ops":"http://127.0.0.1:8791"}"#,
            "The log goes to standard error. The first SIGTERM lets running calls finish (\"drain\" in the",
            "configuration), the second one ends at once.",
        ],
        examples: [
            "speechgate serve --config speechgate.json5",
            "speechgate serve --config speechgate.json5 --listen 127.0.0.1:0",
        ]
    )

    static let check = VerbGrammar(
        words: ["check"],
        options: [Self.config],
        summary: "Checks the configuration and everything it refers to.",
        details: [
            "Prints what would be bound and used, and exits with 0. If anything is wrong, prints one line for each",
            "fault, FILE:KEY: what and why, and exits with 78.",
        ],
        examples: ["speechgate check --config speechgate.json5"]
    )

    static let claimsList = VerbGrammar(
        words: ["claims", "list"],
        options: [Self.config],
        summary: "Prints the calls that were sent and have no answer, one JSON line each.",
        details: [
            "Calls that are running now are among them. \"unresolved\" is true where bytes reached the platform and",
            "neither an answer nor a code came back; give \"upstreamKey\" to the platform's support.",
        ],
        examples: ["speechgate claims list"]
    )

    static let claimsSettle = VerbGrammar(
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
    )

    static let reload = VerbGrammar(
        words: ["reload"],
        options: [Self.config],
        summary: "Has the running gateway read its configuration again.",
        details: [
            "Returns when the new configuration is live or refused; requests go on meanwhile. Limits, accounts with their",
            "secrets, the queue, the breaker and the log level take effect. Prints one JSON line: \"changed\" names what",
            "did, \"needRestart\" what is different in the file and takes effect only with a restart. A configuration with",
            "a fault changes nothing: one line for each, FILE:KEY: what and why, and exit code 78. SIGHUP does the same,",
            "and the log tells.",
        ],
        examples: ["speechgate reload --config speechgate.json5"]
    )

    static let sign = VerbGrammar(
        words: ["sign"],
        options: [
            Self.config,
            Option(name: "--secret-file", value: "FILE", help: "sign with the secret in this file"),
            Option(name: "--account", value: "NAME", help: "sign with the secret of this account of the configuration"),
            Option(name: "--param", value: "NAME=VALUE", isRepeatable: true, help: "a signed parameter"),
            Option(
                name: "--param-file",
                value: "NAME=FILE",
                isRepeatable: true,
                help: "a signed parameter whose value is a file's exact text"
            ),
        ],
        summary: "Prints what the platform would sign, and the signature.",
        details: [
            #"Prints one JSON line, {"payload":"…","signature":"…"}. One of --secret-file and --account is required;"#,
            "one newline at the end of the secret's file does not count.",
        ],
        examples: [
            "speechgate sign --secret-file secret.txt --param-file config=config.json",
            "speechgate sign --account main --param text=hello --param speed=1",
        ]
    )
}
