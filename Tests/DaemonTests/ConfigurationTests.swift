import GatewayCore
import Testing

@testable import Daemon

@Suite struct ConfigurationTests {
    /// What has no default, in the shortest form.
    static let required = """
        secrets: {master: {env: "A"}, upstreamKey: {env: "B"}},
        """
    static let account = #"accounts: [{name: "main", appKey: "K", secretKey: {env: "C"}}]"#

    /// Reads settings that stand beside those without a default.
    static func read(_ settings: String, yugu: String = "") throws -> Configuration {
        let text = "{\(self.required) yugu: {\(self.account), \(yugu)}, \(settings)}"
        return try Configuration(reading: Array(text.utf8), file: "x.json5")
    }

    static func lines(of text: String) -> [String] {
        do {
            _ = try Configuration(reading: Array(text.utf8), file: "x.json5")
            return []
        } catch {
            return error.lines
        }
    }

    /// The complaints about settings that stand beside those without a default, without file name and line.
    static func complaints(_ settings: String, yugu: String = "") -> [String] {
        do {
            _ = try self.read(settings, yugu: yugu)
            return []
        } catch let error as ConfigurationError {
            return error.issues.map { "\($0.path ?? "-"): \($0.message)" }
        } catch {
            return ["\(error)"]
        }
    }

    @Test func whatIsLeftOutHasItsDefault() throws {
        var configuration = try Self.read("")
        #expect(configuration.yugu.accounts.map(\.concurrency) == [64])
        configuration.yugu.accounts = []
        configuration.secrets = Configuration.Secrets()
        #expect(configuration == Configuration())
    }

    @Test func everySettingCanBeSet() throws {
        let configuration = try Self.read(
            """
            listen: ["[::1]:1", "unix:/run/x.sock"], operations: {listen: "localhost:0"}, stateDirectory: "s", loops: 2,
            log: {level: "debug", format: "text"}, echo: true, drain: "1m",
            limits: {connections: 1, requestLine: "2KiB", headBytes: "3KiB", fields: 11, headTimeout: "1s",
              bodyIdleTimeout: "2s", bodyTimeout: "9s", bodyRate: "3KiB", bodyGrace: "5s", keepAliveTimeout: "3s", writeTimeout: "4s", uploadBytes: "1MiB", memoryBody: "5B",
              memoryBudget: "6MiB", spoolBudget: "7GiB",
              client: {rate: "20/s", userRate: "100/10s burst 7", concurrency: 8, userConcurrency: 2,
                daily: {calls: 100, audio: "10h"}, userDaily: {calls: 5}, weight: 3, precheck: "warn"},
              clients: {app: {rate: null, daily: {calls: null}, weight: 9, precheck: "reject"}}, dayOffset: "8h"},
            store: {keyRetention: "1d", recordRetention: "2d", unknownRetention: "72h", answerCache: "9MiB"},
            """,
            yugu: """
                baseURL: "http://127.0.0.1:9/", certificateAuthorityFile: "ca.pem", connectTimeout: "1s",
                attemptTimeout: "2s", totalTimeout: "3s", attempts: 4, answerBytes: "1MiB", waitForWinner: "5s",
                unknownReplayWindow: "6h", dayOffset: "1h", exhaustedTime: "2m",
                breaker: {window: "1s", minimumCalls: 2, failureRatio: 0.9, openTime: "3s", maximumOpenTime: "4s",
                  probeTime: "5s"}, queue: {length: 7, wait: "8s"},
                audio: {gatewayURL: "http://gate:80/", hosts: ["a.b", "c:8443"], maximumBytes: "1MiB", timeout: "4s"},
                retry: {initialDelay: "9ms", maximumDelay: "10ms", jitter: 0, maximumRetryAfter: "11s"},
                """
        )
        var expected = Configuration()
        expected.listen = ["[::1]:1", "unix:/run/x.sock"]
        expected.operations.listen = "localhost:0"
        expected.stateDirectory = "s"
        expected.loops = 2
        expected.log = .init(level: .debug, format: .text)
        expected.echo = true
        expected.drain = .seconds(60)
        expected.secrets.master = SecretReference(source: .environment, name: "A")
        expected.secrets.upstreamKey = SecretReference(source: .environment, name: "B")
        expected.limits = .init(
            connections: 1,
            requestLine: .bytes(2_048),
            headBytes: .bytes(3_072),
            fields: 11,
            headTimeout: .seconds(1),
            bodyIdleTimeout: .seconds(2),
            bodyTimeout: .seconds(9),
            bodyRate: .bytes(3_072),
            bodyGrace: .seconds(5),
            keepAliveTimeout: .seconds(3),
            writeTimeout: .seconds(4),
            uploadBytes: .bytes(1_048_576),
            memoryBody: .bytes(5),
            memoryBudget: .bytes(6_291_456),
            spoolBudget: .bytes(7_516_192_768)
        )
        expected.limits.clients.defaults.rate = TokenBucket.Rate(20, per: .seconds(1), burst: 20)
        expected.limits.clients.defaults.userRate = TokenBucket.Rate(100, per: .seconds(10), burst: 7)
        expected.limits.clients.defaults.concurrency = 8
        expected.limits.clients.defaults.userConcurrency = 2
        expected.limits.clients.defaults.daily = .init(calls: 100, audioMilliseconds: 36_000_000)
        expected.limits.clients.defaults.userDaily.calls = 5
        expected.limits.clients.defaults.weight = 3
        expected.limits.clients.defaults.precheck = .warn
        expected.limits.dayOffset = .seconds(28_800)
        var app = expected.limits.clients.defaults
        app.rate = nil
        app.daily.calls = nil
        app.weight = 9
        app.precheck = .reject
        expected.limits.clients.clients = ["app": app]
        expected.store = .init(
            keyRetention: .seconds(86_400),
            recordRetention: .seconds(172_800),
            unknownRetention: .seconds(259_200),
            answerCache: .bytes(9_437_184)
        )
        expected.yugu.baseURL = "http://127.0.0.1:9"
        expected.yugu.certificateAuthorityFile = "ca.pem"
        expected.yugu.connectTimeout = .seconds(1)
        expected.yugu.attemptTimeout = .seconds(2)
        expected.yugu.totalTimeout = .seconds(3)
        expected.yugu.attempts = 4
        expected.yugu.retry = .init(
            initialDelay: .milliseconds(9),
            maximumDelay: .milliseconds(10),
            jitter: 0,
            maximumRetryAfter: .seconds(11)
        )
        expected.yugu.answerBytes = .bytes(1_048_576)
        expected.yugu.waitForWinner = .seconds(5)
        expected.yugu.unknownReplayWindow = .seconds(21_600)
        expected.yugu.dayOffset = .seconds(3_600)
        expected.yugu.exhaustedTime = .seconds(120)
        expected.yugu.breaker.window = .seconds(1)
        expected.yugu.breaker.minimumCalls = 2
        expected.yugu.breaker.failureRatio = 0.9
        expected.yugu.breaker.openTime = .seconds(3)
        expected.yugu.breaker.maximumOpenTime = .seconds(4)
        expected.yugu.breaker.probeTime = .seconds(5)
        expected.yugu.accounts = [
            .init(
                name: "main",
                appKey: "K",
                secretKey: SecretReference(source: .environment, name: "C"),
                concurrency: 64
            )
        ]
        expected.yugu.queue = .init(length: 7, wait: .seconds(8))
        expected.yugu.audio.gatewayURL = "http://gate:80"
        expected.yugu.audio.hosts = ["a.b", "c:8443"]
        expected.yugu.audio.maximumBytes = .bytes(1_048_576)
        expected.yugu.audio.timeout = .seconds(4)
        #expect(configuration == expected)
    }

    @Test func aSandboxRunsTwoCallsAtOnceUnlessToldOtherwise() throws {
        let text = """
            {\(Self.required) yugu: {accounts: [
              {name: "a", appKey: "A", secretKey: {env: "C"}},
              {name: "b", appKey: "B", secretKey: {env: "C"}, kind: "sandbox"},
              {name: "c", appKey: "D", secretKey: {env: "C"}, kind: "sandbox", concurrency: 5, daily: {calls: 200}},
            ]}}
            """
        let accounts = try Configuration(reading: Array(text.utf8), file: "x.json5").yugu.accounts
        #expect(accounts.map(\.concurrency) == [64, 2, 5])
        #expect(accounts.map(\.kind) == [.production, .sandbox, .sandbox])
        #expect(accounts.map(\.daily.calls) == [nil, nil, 200])
    }

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
            Self.lines(of: text) == [
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
        let lines = Self.lines(of: "{}")
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
        #expect(Self.lines(of: "{\n  listen: [\n}") == ["x.json5:3:1: a value was expected, not '}'"])
        let duplicate = Self.lines(of: "{\(Self.required) yugu: {\(Self.account)},\n loops: 1,\n loops: 2}")
        #expect(duplicate == ["x.json5:3:2: the key \"loops\" stands here a second time; the first is on line 2"])
        #expect(Self.lines(of: "[]").first == "x.json5:1:1: an object in braces is wanted, not a list")
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
            "limits: {memoryBody: '2MiB', memoryBudget: '1MiB'}",
            #"limits.memoryBody: "2MiB" is more than "memoryBudget", "1MiB""#
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
        #expect(Self.complaints(settings) == [complaint])
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
        #expect(Self.complaints("", yugu: settings) == [complaint])
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
        let text = "{\(Self.required) yugu: {accounts: \(accounts)}}"
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
        let text = "{secrets: {master: \(value), upstreamKey: {env: 'B'}}, yugu: {\(Self.account)}}"
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
        let text = "{secrets: {master: {env: 'A'}, upstreamKey: {env: 'A'}}, yugu: {\(Self.account)}}"
        #expect(
            Self.lines(of: text).first?.hasPrefix("x.json5:secrets.upstreamKey: this must be another secret") == true
        )
    }

    @Test(arguments: [
        "https://open.shengzhiai.com", "https://h:8443", "http://127.0.0.1:80", "http://[::1]:80",
        "http://localhost", "http://127.1.2.3:1", "https://h/",
    ])
    func usualBaseURLsAreAccepted(url: String) throws {
        let configuration = try Self.read("", yugu: "baseURL: '\(url)'")
        #expect(configuration.yugu.baseURL + (url.hasSuffix("/") ? "/" : "") == url)
    }
}
