import Testing

@testable import Daemon

@Suite struct CommandLineTests {
    typealias Signing = CommandLine.SigningArguments

    @Test(arguments: [
        (["--version"], CommandLine.Action.version, nil),
        (["serve"], .serve(listen: [], readyFile: nil), nil),
        (["serve", "--config", "a"], .serve(listen: [], readyFile: nil), "a"),
        (["serve", "--config=a"], .serve(listen: [], readyFile: nil), "a"),
        (["serve", "--config=a=b"], .serve(listen: [], readyFile: nil), "a=b"),
        (
            ["serve", "--listen", "127.0.0.1:0", "--config", "a", "--listen=unix:/x", "--ready-file", "r"],
            .serve(listen: ["127.0.0.1:0", "unix:/x"], readyFile: "r"), "a"
        ),
        (["check", "--config", "-"], .check, "-"),
        (
            ["client", "add", "app"],
            .administer(
                .addClient(.init(name: "app", scopes: ["evaluate", "tts", "report", "realtime", "records"]))
            ), nil
        ),
        (
            ["client", "add", "--scopes", "records,evaluate,records", "app"],
            .administer(.addClient(.init(name: "app", scopes: ["evaluate", "records"]))), nil
        ),
        (
            ["client", "add", "app", "--scopes=all"],
            .administer(
                .addClient(
                    .init(
                        name: "app",
                        scopes: ["evaluate", "tts", "report", "realtime", "records", "erase", "tokens", "usage"]
                    )
                )
            ), nil
        ),
        (
            [
                "client", "add", "app", "--scopes", "tts", "--label", "a kiosk", "--expires", "90d", "--signing",
                "--core-types", "word,sent.eval", "--addresses", "192.0.2.0/24,::1",
            ],
            .administer(
                .addClient(
                    .init(
                        name: "app",
                        label: "a kiosk",
                        scopes: ["tts"],
                        coreTypes: ["word", "sent.eval"],
                        addresses: ["192.0.2.0/24", "::1"],
                        lifetimeSeconds: 7_776_000,
                        isSigning: true
                    )
                )
            ), nil
        ),
        (["client", "rotate", "app"], .administer(.rotateClient(name: "app", overlapSeconds: 86_400)), nil),
        (
            ["client", "rotate", "app", "--overlap", "0s"],
            .administer(.rotateClient(name: "app", overlapSeconds: 0)), nil
        ),
        (
            ["token", "--client", "app", "--user", "mei"],
            .administer(.makeToken(.init(client: "app", user: "mei"))), nil
        ),
        (
            [
                "token", "--client", "app", "--user", "mei", "--ttl", "30m", "--scopes", "report", "--maximum-calls",
                "5",
            ],
            .administer(
                .makeToken(
                    .init(client: "app", user: "mei", lifetimeSeconds: 1_800, scopes: ["report"], maximumCalls: 5)
                )
            ), nil
        ),
        (
            ["token", "revoke", "--client", "app", "--user", "mei"],
            .administer(.revokeTokens(client: "app", user: "mei", tokenID: nil)), nil
        ),
        (
            ["token", "revoke", "--client", "app", "--id", "x"],
            .administer(.revokeTokens(client: "app", user: nil, tokenID: "x")), nil
        ),
        (
            ["token", "revoke", "--client", "app", "--all"],
            .administer(.revokeTokens(client: "app", user: nil, tokenID: nil)), nil
        ),
        (["client", "list", "--config", "a"], .administer(.listClients), "a"),
        (["client", "revoke", "a.b-c_0"], .administer(.revokeClient(name: "a.b-c_0")), nil),
        (["claims", "list"], .administer(.listClaims(after: 0)), nil),
        (
            ["claims", "settle", "k/1", "--client", "app", "--billed"],
            .administer(.settleClaim(key: "k/1", client: "app", user: nil, billed: true)), nil
        ),
        (
            ["claims", "settle", "--not-billed", "--user", "u", "--client=app", "--", "-k"],
            .administer(.settleClaim(key: "-k", client: "app", user: "u", billed: false)), nil
        ),
        (
            ["stream", "a.wav", "--text", "今天"],
            .stream(StreamArguments(file: "a.wav", text: "今天", language: "zh-CN")), nil
        ),
        (
            [
                "stream", "a.wav", "--text=The end", "--core-type", "passage", "--key", "k", "--user", "mei",
                "--gateway",
                "https://gateway.example/", "--ca-file", "ca.pem", "--credential-file", "f", "--speed", "max",
            ],
            .stream(
                StreamArguments(
                    file: "a.wav",
                    text: "The end",
                    language: "en-US",
                    coreType: "passage",
                    key: "k",
                    user: "mei",
                    gateway: "wss://gateway.example",
                    authorityFile: "ca.pem",
                    credential: SecretReference(source: .file, name: "f"),
                    speed: nil
                )
            ), nil
        ),
        (
            ["sign", "--secret-file", "s"],
            .sign(Signing(secret: .file("s"), parameters: [])), nil
        ),
        (
            ["sign", "--account", "main", "--param", "a=b=c", "--param-file", "config=f", "--param", "e="],
            .sign(
                Signing(
                    secret: .account("main"),
                    parameters: [
                        .init(name: "a", value: .text("b=c")), .init(name: "config", value: .file("f")),
                        .init(name: "e", value: .text("")),
                    ]
                )
            ), nil
        ),
    ])
    func argumentsAreUnderstood(arguments: [String], action: CommandLine.Action, file: String?) throws {
        let commandLine = try CommandLine.parse(arguments)
        #expect(commandLine.action == action)
        #expect(commandLine.configurationFile == file)
    }

    @Test(arguments: [
        ([], "a verb is missing; speechgate --help lists them"),
        (["serv"], #"unknown verb "serv"; did you mean "serve"?"#),
        (
            ["xyzzy"],
            #"unknown verb "xyzzy"; known: serve, check, reload, sign, client, token, claims, records, usage, "#
                + "backup, doctor, stream"
        ),
        (["--config", "a", "serve"], "the verb comes before its options; speechgate --help lists the verbs"),
        (["client"], #""client" needs one of "add", "list", "rotate", "revoke""#),
        (["client", "ad"], #""client" has no "ad"; did you mean "add"?"#),
        (["claims", "show"], #""claims" has no "show"; known: list, settle"#),
        (["serve", "--confg", "a"], #""serve" has no option --confg; did you mean --config?"#),
        (["serve", "--port", "1"], #""serve" has no option --port; known: --config, --listen, --ready-file, --help"#),
        (["serve", "-c", "1"], #""serve" has no option -c; known: --config, --listen, --ready-file, --help"#),
        (["serve", "--config"], "--config needs a value: --config FILE"),
        (["serve", "--config", "--listen"], "--config needs a value: --config FILE"),
        (["serve", "--config="], "--config needs a value that is not empty"),
        (["serve", "--config", "a", "--config", "b"], "--config was given twice"),
        (["serve", "now"], #""serve" does not take "now"; the form is: speechgate serve [OPTION]..."#),
        (
            ["serve", "--listen", "8790"],
            #"--listen: "HOST:PORT", "[IPv6]:PORT" or "unix:/path" is wanted, not "8790""#
        ),
        (["client", "add"], #""client add" needs NAME; the form is: speechgate client add NAME [OPTION]..."#),
        (["client", "add", ""], "NAME is empty"),
        (
            ["client", "add", "App"],
            "NAME: a name is 1 to 63 characters of a-z, 0-9, '.', '_' and '-' and begins with a letter or digit"
        ),
        (
            ["client", "add", String(repeating: "a", count: 64)],
            "NAME: a name is 1 to 63 characters of a-z, 0-9, '.', '_' and '-' and begins with a letter or digit"
        ),
        (
            ["client", "revoke", "-a"],
            #""client revoke" has no option -a; known: --config, --help"#
        ),
        (
            ["client", "add", "app", "--scopes", "evalute"],
            #"--scopes: unknown scope "evalute"; did you mean "evaluate"?"#
        ),
        (
            ["client", "add", "app", "--scopes", "a,,"],
            #"--scopes: unknown scope "a"; known: evaluate,tts,report,realtime,records,erase,tokens,usage"#
        ),
        (
            ["client", "add", "app", "--addresses", "10.0.0.0/33"],
            #"--addresses: addresses and ranges such as "192.0.2.7", "192.0.2.0/24", "2001:db8::/32" or "unix" are "#
                + #"wanted, not "10.0.0.0/33""#
        ),
        (
            ["client", "add", "app", "--expires", "soon"],
            #"--expires: "1s" to "3650d" with a unit (s, m, h, d) is wanted, not "soon""#
        ),
        (["token"], #""token" needs --client NAME and --user USER"#),
        (
            ["token", "--client", "a", "--user", "u", "--ttl", "25h"],
            #"--ttl: "1s" to "1d" with a unit (s, m, h, d) is wanted, not "25h""#
        ),
        (
            ["token", "--client", "a", "--user", "u", "--maximum-calls", "0"],
            #"--maximum-calls: a number from 1 to 1000000 is wanted, not "0""#
        ),
        (
            ["token", "revoke", "--client", "a", "--all", "--user", "u"],
            #""token revoke" needs exactly one of --id ID, --user USER and --all"#
        ),
        (
            ["claims", "settle", "k", "--billed"],
            #""claims settle" needs --client NAME: keys of different clients may be equal"#
        ),
        (
            ["claims", "settle", "k", "--client", "a"],
            #""claims settle" needs exactly one of --billed and --not-billed"#
        ),
        (
            ["claims", "settle", "k", "--client", "a", "--billed", "--not-billed"],
            #""claims settle" needs exactly one of --billed and --not-billed"#
        ),
        (["claims", "settle", "k", "--billed=yes"], "--billed takes no value"),
        (["stream"], #""stream" needs FILE; the form is: speechgate stream FILE [OPTION]..."#),
        (["stream", "a.wav"], #""stream" needs --text TEXT: what is read aloud"#),
        (
            ["stream", "a.wav", "--text", "a", "--gateway", "ws://host/path"],
            #"--gateway: ws://HOST:PORT or wss://HOST[:PORT] without a path is wanted, not "ws://host/path""#
        ),
        (
            ["stream", "a.wav", "--text", "a", "--speed", "0"],
            #"--speed: a factor from 0.1 to 100, or "max", is wanted, not "0""#
        ),
        (["stream", "a.wav", "--text", "a", "--key", "a b"], "--key: 1 to 200 visible ASCII characters are wanted"),
        (
            ["stream", "a.wav", "--text", "a", "--credential-env", "A", "--credential-file", "f"],
            #""stream" takes one of --credential-env NAME and --credential-file FILE, not both"#
        ),
        (["sign"], #""sign" needs exactly one of --secret-file FILE and --account NAME"#),
        (
            ["sign", "--secret-file", "s", "--account", "a"],
            #""sign" needs exactly one of --secret-file FILE and --account NAME"#
        ),
        (["sign", "--account", "a", "--param", "x"], "--param: NAME=VALUE is wanted"),
        (["sign", "--account", "a", "--param", "=x"], "--param: NAME=VALUE is wanted"),
        (["sign", "--account", "a", "--param-file", "x"], "--param-file: NAME=FILE is wanted"),
        (
            ["sign", "--account", "a", "--param", "x=1", "--param-file", "x=f"],
            #"--param-file: the parameter "x" was given twice"#
        ),
    ])
    func slipsAreNamed(arguments: [String], message: String) {
        #expect(throws: VerbFailure(.usage, message)) { try CommandLine.parse(arguments) }
    }

    @Test(arguments: VerbGrammar.all.map(\.words) + [[], ["client"], ["claims"]])
    func everythingHasHelpWithExamples(words: [String]) throws {
        for arguments in [words + ["--help"], words + ["-h"], ["help"] + words] {
            guard case .help(let text) = try CommandLine.parse(arguments).action else {
                Issue.record("\(arguments) asks for help")
                continue
            }
            #expect(text.contains("Usage: speechgate"))
            #expect(text.contains("Examples:\n  speechgate "))
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
        }
    }

    @Test(arguments: VerbGrammar.all.flatMap(\.examples))
    func everyExampleOfTheHelpIsACommand(example: String) throws {
        let words = example.split(separator: " ").map(String.init)
        #expect(words.first == "speechgate")
        #expect(throws: Never.self) { try CommandLine.parse(Array(words.dropFirst())) }
    }

    @Test func helpWinsOverWhateverElseIsWrong() throws {
        guard case .help(let text) = try CommandLine.parse(["claims", "settle", "--nonsense", "--help"]).action else {
            Issue.record("--help was given")
            return
        }
        #expect(text.contains("--not-billed"))
    }

    @Test func theConfigurationIsTheNamedOneThenTheVariableThenTheDefault() {
        let variable = ["SPEECHGATE_CONFIG": "/v"]
        #expect(ConfigurationFile.path(named: "/n", environment: variable) == "/n")
        #expect(ConfigurationFile.path(named: nil, environment: variable) == "/v")
        #expect(ConfigurationFile.path(named: nil, environment: [:]) == "/etc/speechgate/speechgate.json5")
        let empty = ["SPEECHGATE_CONFIG": ""]
        #expect(ConfigurationFile.path(named: nil, environment: empty) == "/etc/speechgate/speechgate.json5")
    }
}
