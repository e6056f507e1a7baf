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
            log: {level: "debug", format: "text", file: "l", linesPerSecond: 7}, echo: true, drain: "1m",
            limits: {connections: 1, requests: 7, loopLag: "12s", requestLine: "2KiB", headBytes: "3KiB", fields: 11, headTimeout: "1s",
              bodyIdleTimeout: "2s", bodyTimeout: "9s", bodyRate: "3KiB", bodyGrace: "5s", keepAliveTimeout: "3s", writeTimeout: "4s", uploadBytes: "1MiB", memoryBody: "5B",
              memoryBudget: "16MiB", spoolBudget: "7GiB", minimumFreeDisk: "8MiB", unprovenTimeout: "7s",
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
        expected.log = .init(level: .debug, format: .text, file: "l", linesPerSecond: 7)
        expected.echo = true
        expected.drain = .seconds(60)
        expected.secrets.master = SecretReference(source: .environment, name: "A")
        expected.secrets.upstreamKey = SecretReference(source: .environment, name: "B")
        expected.limits = .init(
            connections: 1,
            requests: 7,
            loopLag: .seconds(12),
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
            memoryBudget: .bytes(16_777_216),
            spoolBudget: .bytes(7_516_192_768),
            minimumFreeDisk: .bytes(8_388_608),
            unprovenTimeout: .seconds(7)
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
}
