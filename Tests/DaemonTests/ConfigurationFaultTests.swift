import GatewayCore
import Testing

@testable import Daemon

@Suite struct ConfigurationFaultTests {
    @Test func allFaultsAreReportedAtOnceInTheOrderOfTheText() {
        let text = """
            {
              lisen: ["127.0.0.1:1"],
              log: {level: "infos", formt: "json"},
              drain: 60,
              limits: {headTimeout: "10 s", memoryBudget: "64MB", connections: 0},
              accounts: [],
              secrets: {master: "0123456789abcdef0123456789abcdef"},
              yugu: {accounts: [{name: "a", appKey: "k"}], attempts: Infinity},
            }
            """
        #expect(
            ConfigurationTests.lines(of: text) == [
                #"x.json5:lisen: unknown key; did you mean "listen"? (line 2)"#,
                #"x.json5:log.level: one of "debug", "info", "notice", "warning", "error" is wanted, not "infos"; "#
                    + #"did you mean "info"? (line 3)"#,
                #"x.json5:log.formt: unknown key; did you mean "format"? (line 3)"#,
                #"x.json5:drain: a duration with its unit (ms, s, m, h, d), for example "1m", is wanted, not a number "#
                    + "(line 4)",
                #"x.json5:limits.headTimeout: a duration with its unit (ms, s, m, h, d), for example "10s", is wanted, "#
                    + #"not "10 s" (line 5)"#,
                #"x.json5:limits.memoryBudget: a size with its unit (B, KiB, MiB, GiB), for example "64MiB", is wanted, "#
                    + #"not "64MB" (line 5)"#,
                "x.json5:limits.connections: 0 is out of range; 1 to 1000000 is possible (line 5)",
                #"x.json5:accounts: unknown key; did you mean "yugu.accounts"? (line 6)"#,
                "x.json5:secrets.upstreamKey: this secret has no default; make one with `openssl rand -hex 32 > FILE` and "
                    + #"write {file: "PATH"}, {env: "VARIABLE"} or {credential: "NAME"} (line 7)"#,
                "x.json5:secrets.master: a secret never stands in this file; put it elsewhere and write "
                    + #"{file: "PATH"}, {env: "VARIABLE"} or {credential: "NAME"} (line 7)"#,
                "x.json5:yugu.accounts[0].secretKey: every account needs this (line 8)",
                "x.json5:yugu.attempts: a whole number is wanted, not Infinity (line 8)",
            ]
        )
    }

    @Test func whatIsMissingIsNamedWithTheCommandThatMakesIt() {
        let lines = ConfigurationTests.lines(of: "{}")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { !$0.contains("(line") })
        #expect(
            lines[0].hasPrefix(
                "x.json5:secrets.master: this secret has no default; make one with `openssl rand -hex 32"
            )
        )
        #expect(lines[1].hasPrefix("x.json5:secrets.upstreamKey: this secret has no default"))
        #expect(lines[2].hasPrefix("x.json5:yugu.accounts: no account at the platform; write accounts: [{name:"))
    }

    @Test func syntaxFaultsAndDuplicatesCarryLineAndColumn() {
        #expect(ConfigurationTests.lines(of: "{\n  listen: [\n}") == ["x.json5:3:1: a value was expected, not '}'"])
        let duplicate = ConfigurationTests.lines(
            of: "{\(ConfigurationTests.required) yugu: {\(ConfigurationTests.account)},\n loops: 1,\n loops: 2}"
        )
        #expect(duplicate == ["x.json5:3:2: the key \"loops\" stands here a second time; the first is on line 2"])
        #expect(ConfigurationTests.lines(of: "[]").first == "x.json5:1:1: an object in braces is wanted, not a list")
    }

    @Test(arguments: [
        ("listen: []", "listen: at least one address is wanted"),
        ("listen: 8790", "listen: a list of texts is wanted, not a number"),
        ("listen: ['a:1', 2]", "listen[1]: a text in quotation marks is wanted, not a number"),
        ("listen: ['a:1', 'a:1']", "listen: an address stands here twice"),
        (
            "trustedProxies: ['10.0.0.0/33']",
            #"trustedProxies: addresses and ranges such as "192.0.2.7", "192.0.2.0/24", "2001:db8::/32" or "unix" are "#
                + #"wanted, not "10.0.0.0/33""#
        ),
        ("listen: ['8790']", #"listen: "HOST:PORT", "[IPv6]:PORT" or "unix:/path" is wanted, not "8790""#),
        ("listen: ['h:65536']", #"listen: "HOST:PORT", "[IPv6]:PORT" or "unix:/path" is wanted, not "h:65536""#),
        ("listen: ['::1:80']", #"listen: "HOST:PORT", "[IPv6]:PORT" or "unix:/path" is wanted, not "::1:80""#),
        ("listen: ['unix:a']", "listen: unix: is followed by an absolute path of at most 107 bytes"),
        (
            "operations: {listen: 'x'}",
            #"operations.listen: "HOST:PORT", "[IPv6]:PORT" or "unix:/path" is wanted, not "x""#
        ),
        (
            "operations: {listen: '127.0.0.1:8790'}",
            "operations: \"listen\" is an address that the gateway listens on already"
        ),
        ("operations: 'x'", "operations: an object in braces is wanted, not a string"),
        ("stateDirectory: ''", "stateDirectory: a path is wanted; this one is empty or holds a NUL"),
        (
            "stateDirectory: null",
            "stateDirectory: a text in quotation marks is wanted, not null; "
                + "leave the key out to get the default"
        ),
        ("loops: 1.5", "loops: a whole number is wanted, not one with a fraction or an exponent"),
        ("loops: '1'", "loops: a whole number is wanted, not a string"),
        ("loops: -1", "loops: -1 is out of range; 0 to 256 is possible"),
        ("echo: 'yes'", "echo: true or false is wanted, not a string"),
        (
            "echo: true, listen: ['127.0.0.1:1', '0.0.0.0:1']",
            "echo: /v1/echo asks for no credentials and needs listeners "
                + "that stay on this machine; \"0.0.0.0:1\" in \"listen\" does not"
        ),
        ("drain: '2d'", #"drain: "2d" is out of range; "0s" to "1h" is possible"#),
        (
            "limits: {requestLine: '64KiB', headBytes: '16KiB'}",
            #"limits.requestLine: "64KiB" is more than "headBytes", "16KiB""#
        ),
        (
            "limits: {memoryBody: '4MiB', memoryBudget: '16MiB'}",
            #"limits.memoryBody: "4MiB" is more than three sixteenths of "memoryBudget", "16MiB""#
        ),
        (
            "limits: {webSockets: {memory: '3MiB'}}",
            #"limits.webSockets.memory: "3MiB" is less than four times "message", "1MiB""#
        ),
        (
            "limits: {uploadBytes: 52428800}",
            #"limits.uploadBytes: a size with its unit (B, KiB, MiB, GiB), for example "50MiB", is wanted, not a number"#
        ),
        (
            "limits: {client: {rate: '0/s'}}",
            #"limits.client.rate: a rate is wanted: "20/s", "600/m", "100/10s", "#
                + #"or "20/s burst 100" for as many at once"#
        ),
        (
            "limits: {clients: {'a b': {}}}",
            "limits.clients.a b: a name is 1 to 63 characters of a-z, 0-9, '.', '_' and '-' "
                + "and begins with a letter or digit"
        ),
        ("limits: {clients: {a: {wait: 1}}}", #"limits.clients.a.wait: unknown key; did you mean "yugu.queue.wait"?"#),
        (
            "limits: {client: {weight: null}}",
            "limits.client.weight: a whole number is wanted, not null; "
                + "leave the key out to get the default"
        ),
        (
            "limits: {client: {accountKind: 'sandbox'}}",
            #"limits.client.accountKind: no account in yugu.accounts has the kind "sandbox"; there is "production""#
        ),
        (
            "limits: {clients: {app: {accountKind: 'sandbox'}}}",
            #"limits.clients.app.accountKind: no account in yugu.accounts has the kind "sandbox"; there is "production""#
        ),
        ("limits: {client: {concurrency: 0}}", "limits.client.concurrency: 0 is out of range; 1 to 100000 is possible"),
        ("store: {keyRetention: '23h'}", #"store.keyRetention: "23h" is out of range; "1d" to "3650d" is possible"#),
        (
            "zzz: 1",
            "zzz: unknown key; known here: listen, trustedProxies, operations, stateDirectory, loops, log, echo, "
                + "drain, secrets, limits, store, yugu"
        ),
        ("limits: {maxConnections: 1}", #"limits.maxConnections: unknown key; did you mean "connections"?"#),
        (
            "limits: {keepalivetimeout: '1s'}",
            #"limits.keepalivetimeout: unknown key; did you mean "keepAliveTimeout"?"#
        ),
    ])
    func eachFaultIsNamedWithItsPath(settings: String, complaint: String) {
        #expect(ConfigurationTests.complaints(settings) == [complaint])
    }

    @Test(arguments: [
        (
            "baseURL: 'open.example.com'",
            "yugu.baseURL: https://HOST or https://HOST:PORT is wanted, without path and query"
        ),
        (
            "baseURL: 'https://h/api'",
            "yugu.baseURL: https://HOST or https://HOST:PORT is wanted, without path and query"
        ),
        (
            "baseURL: 'https://u:p@h'",
            "yugu.baseURL: https://HOST or https://HOST:PORT is wanted, without path and query"
        ),
        ("baseURL: 'https://'", "yugu.baseURL: https://HOST or https://HOST:PORT is wanted, without path and query"),
        (
            "baseURL: 'http://open.example.com'",
            "yugu.baseURL: http:// would send recordings in the clear; "
                + "it is accepted for 127.0.0.1, [::1] and localhost only"
        ),
        (
            "baseURL: 'http://127.0.0.1.example.com'",
            "yugu.baseURL: http:// would send recordings in the clear; "
                + "it is accepted for 127.0.0.1, [::1] and localhost only"
        ),
        (
            "certificateAuthorityFile: 1",
            "yugu.certificateAuthorityFile: a text in quotation marks, or null, is wanted, "
                + "not a number"
        ),
        (
            "attemptTimeout: '5m', totalTimeout: '4m'",
            "yugu.attemptTimeout: one attempt may take longer than \"totalTimeout\" for all of them"
        ),
        (
            "unknownReplayWindow: '24h'",
            #"yugu.unknownReplayWindow: "24h" is out of range; "0s" to "1439m" is possible"#
        ),
        (
            "unknownReplayWindow: '1439m'",
            #"yugu.unknownReplayWindow: with "totalTimeout" it is more than the 24 h after which keys are forgotten"#
        ),
        ("retry: {jitter: 1.5}", "yugu.retry.jitter: 1.5 is out of range; 0.0 to 1.0 is possible"),
        ("retry: {jitter: NaN}", "yugu.retry.jitter: a finite number is wanted, not NaN"),
        ("retry: {jitter: '0.3'}", "yugu.retry.jitter: a number is wanted, not a string"),
        ("retry: {initialDelay: '5s'}", "yugu.retry.initialDelay: the first wait is longer than \"maximumDelay\""),
    ])
    func eachFaultOfThePlatformIsNamedWithItsPath(settings: String, complaint: String) {
        #expect(ConfigurationTests.complaints("", yugu: settings) == [complaint])
    }

    @Test(arguments: [
        (
            "[]",
            [
                "yugu.accounts: no account at the platform; "
                    + #"write accounts: [{name: "main", appKey: "…", secretKey: {file: "PATH"}}]"#
            ]
        ),
        ("{}", ["yugu.accounts: a list in brackets is wanted, not an object"]),
        (
            "[1]",
            [
                "yugu.accounts[0]: an object in braces is wanted, not a number",
                "yugu.accounts[0].name: every account needs this", "yugu.accounts[0].appKey: every account needs this",
                "yugu.accounts[0].secretKey: every account needs this",
            ]
        ),
        (
            "[{name: 'A', appKey: 'k', secretKey: {env: 'C'}}]",
            [
                "yugu.accounts[0].name: a name is 1 to 63 characters of "
                    + "a-z, 0-9, '.', '_' and '-' and begins with a letter or digit"
            ]
        ),
        (
            "[{name: 'a', appKey: 'k k', secretKey: {env: 'C'}}]",
            ["yugu.accounts[0].appKey: visible ASCII characters are wanted"]
        ),
        (
            "[{name: 'a', appKey: 'k', secretKey: {env: 'C'}, concurrency: 0}]",
            ["yugu.accounts[0].concurrency: 0 is out of range; 1 to 10000 is possible"]
        ),
        (
            "[{name: 'a', appKey: 'k', secretKey: {env: 'C'}, appkey: 'k'}]",
            [#"yugu.accounts[0].appkey: unknown key; did you mean "appKey"?"#]
        ),
        (
            "[{name: 'a', appKey: 'k', secretKey: {env: 'C'}}, {name: 'a', appKey: 'l', secretKey: {env: 'D'}}]",
            [#"yugu.accounts: two accounts have the same "name""#]
        ),
        (
            "[{name: 'a', appKey: 'k', secretKey: {env: 'C'}}, {name: 'b', appKey: 'k', secretKey: {env: 'D'}}]",
            [#"yugu.accounts: two accounts have the same "appKey""#]
        ),
    ])
    func eachFaultOfAnAccountIsNamedWithItsPath(accounts: String, complaints: [String]) {
        let text = "{\(ConfigurationTests.required) yugu: {accounts: \(accounts)}}"
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(reading: Array(text.utf8), file: "x.json5")
        }
        #expect(error?.issues.map { "\($0.path ?? "-"): \($0.message)" } == complaints)
    }

    @Test(arguments: [
        ("'hunter2hunter2'", "a secret never stands in this file; put it elsewhere and write "),
        ("{file: 'a', env: 'b'}", ""), ("{}", ""), ("{File: 'a'}", ""), ("{file: 1}", ""),
        ("{file: ''}", "the name behind \"file\" is empty or holds a NUL"),
        ("{credential: '../x'}", "a credential is the name of a file in $CREDENTIALS_DIRECTORY, without a slash"),
        ("17", #"{file: "PATH"}, {env: "VARIABLE"} or {credential: "NAME"} is wanted, not a number"#),
    ])
    func aSecretIsAReferenceWithOneMember(value: String, beginning: String) {
        let text = "{secrets: {master: \(value), upstreamKey: {env: 'B'}}, yugu: {\(ConfigurationTests.account)}}"
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(reading: Array(text.utf8), file: "x.json5")
        }
        #expect(error?.issues.map(\.path) == ["secrets.master"])
        let message = error?.issues.first?.message ?? ""
        let forms = #"{file: "PATH"}, {env: "VARIABLE"} or {credential: "NAME"}"#
        #expect(message.hasPrefix(beginning.isEmpty ? forms + " is wanted, with exactly one member" : beginning))
        #expect(!message.contains("hunter2"))
    }

    @Test func theTwoSecretsMustNotBeTheSame() {
        let text = "{secrets: {master: {env: 'A'}, upstreamKey: {env: 'A'}}, yugu: {\(ConfigurationTests.account)}}"
        #expect(
            ConfigurationTests.lines(of: text).first?.hasPrefix(
                "x.json5:secrets.upstreamKey: this must be another secret"
            ) == true
        )
    }

    @Test(arguments: [
        "https://open.shengzhiai.com", "https://h:8443", "http://127.0.0.1:80", "http://[::1]:80",
        "http://localhost", "http://127.1.2.3:1", "https://h/",
    ])
    func usualBaseURLsAreAccepted(url: String) throws {
        let configuration = try ConfigurationTests.read("", yugu: "baseURL: '\(url)'")
        #expect(configuration.yugu.baseURL + (url.hasSuffix("/") ? "/" : "") == url)
    }
}
