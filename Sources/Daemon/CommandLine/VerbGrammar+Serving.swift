/// `serve`, `check`, `reload` and `sign`, with their help.
extension VerbGrammar {
    /// In the order of the help.
    static let serving: [VerbGrammar] = [
        VerbGrammar(
            words: ["serve"],
            options: [
                Self.config,
                Option(
                    name: "--listen",
                    value: "ADDRESS",
                    isRepeatable: true,
                    help: "listen here and not where the configuration says"
                ),
                Option(
                    name: "--ready-file",
                    value: "FILE",
                    help: "write the line of standard output to this file as well"
                ),
            ],
            summary: "Runs the gateway until SIGTERM or SIGINT.",
            details: [
                "When all listeners are open, one JSON line with their addresses goes to standard output:",
                #"  {"gateway":"http://127.0.0.1:8790","ops":"http://127.0.0.1:8791"}"#,
                "The log goes to standard error, the journal or a file (\"log.file\" in the configuration), which SIGUSR1 opens",
                "again. The first SIGTERM lets running calls finish (\"drain\"), the second one ends at once.",
            ],
            examples: [
                "speechgate serve --config speechgate.json5",
                "speechgate serve --config speechgate.json5 --listen 127.0.0.1:0",
            ]
        ),
        VerbGrammar(
            words: ["check"],
            options: [Self.config],
            summary: "Checks the configuration and everything it refers to.",
            details: [
                "Prints what would be bound and used, and exits with 0. If anything is wrong, prints one line for each",
                "fault, FILE:KEY: what and why, and exits with 78.",
            ],
            examples: ["speechgate check --config speechgate.json5"]
        ),
        VerbGrammar(
            words: ["reload"],
            options: [Self.config],
            summary: "Has the running gateway read its configuration again.",
            details: [
                "Returns when the new configuration is live or refused; requests go on meanwhile. Listeners, trusted proxies,",
                "limits of clients, connections and requests, accounts with their secrets, the queue, the breaker, a rotated",
                "master and the log level take effect. Connections stay open, whatever they came over. Prints one JSON line:",
                "\"changed\" names what did, \"needRestart\" what is different in the file and takes effect only with a restart,",
                "such as a master that does not have the one before it as previousMaster. A configuration with a fault changes",
                "nothing: one line for each, FILE:KEY: what and why, and exit code 78; neither does one with an address that",
                "cannot be listened on (69). SIGHUP does the same, and the log tells.",
            ],
            examples: ["speechgate reload --config speechgate.json5"]
        ),
        VerbGrammar(
            words: ["sign"],
            options: [
                Self.config,
                Option(name: "--secret-file", value: "FILE", help: "sign with the secret in this file"),
                Option(
                    name: "--account",
                    value: "NAME",
                    help: "sign with the secret of this account of the configuration"
                ),
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
        ),
    ]
}
