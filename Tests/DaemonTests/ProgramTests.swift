import Foundation
import Testing

@testable import Daemon

/// Verbs that need no daemon, run within the test's process.
@Suite struct ProgramTests {
    @Test func versionAndHelpGoToStandardOutput() async {
        let version = await CapturedRun.run(["--version"])
        #expect(version.exitCode == .success)
        #expect(version.output.wholeMatch(of: /speechgate [0-9]+\.[0-9]+\.[0-9]+\n/) != nil)
        let help = await CapturedRun.run(["--help"])
        #expect(help.exitCode == .success)
        #expect(help.output.contains("claims settle KEY"))
        #expect(help.complaints.isEmpty)
    }

    @Test func aWrongCommandLineIs64AndSaysWhereToLook() async {
        let run = await CapturedRun.run(["chekc"])
        #expect(run.exitCode == .usage)
        #expect(run.output.isEmpty)
        #expect(
            run.complaints == [#"speechgate: unknown verb "chekc"; did you mean "check"?"#, "See speechgate --help."]
        )
    }

    @Test func checkTellsWhatWouldBeUsedAndNoSecret() async throws {
        let scratch = try ScratchDirectory(
            settings:
                #"echo: true, limits: { client: { rate: "20/s" }, clients: { kiosk: { concurrency: 3, weight: 2, daily: { calls: 9, audio: "2h" } } } }"#
        )
        let run = await CapturedRun.run(["check", "--config", scratch.configuration])
        #expect(run.exitCode == .success)
        #expect(run.complaints.isEmpty)
        let lines = run.output.split(separator: "\n").map { line in
            String(line).replacing(#/ {2,}/#, with: "  ").replacing(scratch.path, with: "DIR")
        }
        for expected in [
            "configuration  DIR/speechgate.json5 is in order", "gateway  127.0.0.1:0", "operations  127.0.0.1:0",
            "control  DIR/state/control.sock", "state  DIR/state, will be made", "loops  1", "echo  on",
            "secrets.master  file DIR/master", "secrets.upstreamKey  file DIR/upstream",
            "limits of a client  20/s requests",
            "limits of kiosk  20/s requests, 3 at once, 9 calls and 2h of audio a day, weight 2",
            "yugu  https://open.shengzhiai.com, authorities: the system's",
            "account main  production, appKey app-***, file DIR/account, 64 calls at once",
        ] {
            #expect(lines.contains(expected), "\(lines)")
        }
        for secret in ["hunter2", "0123456789abcdef", "fedcba9876543210", "app-key-1"] {
            #expect(!run.output.contains(secret))
        }
        #expect(!FileManager.default.fileExists(atPath: scratch.file("state")), "check changes nothing")
    }

    @Test func checkIs78WithEveryFault() async throws {
        let scratch = try ScratchDirectory(settings: "logs: {}, limits: {headTimeout: 5}")
        let run = await CapturedRun.run(["check"], environment: ["SPEECHGATE_CONFIG": scratch.configuration])
        #expect(run.exitCode == .configuration)
        #expect(run.output.isEmpty)
        #expect(
            run.complaints == [
                #"speechgate: \#(scratch.configuration):logs: unknown key; did you mean "log"? (line 5)"#,
                #"speechgate: \#(scratch.configuration):limits.headTimeout: a duration with its unit (ms, s, m, h, d), "#
                    + #"for example "10s", is wanted, not a number (line 5)"#,
            ]
        )
    }

    @Test(arguments: ["serve", "check"])
    func aMissingConfigurationIs78AndSaysHowToNameOne(verb: String) async {
        let run = await CapturedRun.run([verb, "--config", "/nowhere/x.json5"])
        #expect(run.exitCode == .configuration)
        #expect(
            run.complaints == [
                "speechgate: /nowhere/x.json5: cannot read the configuration: No such file or directory; "
                    + "name another one with --config FILE or $SPEECHGATE_CONFIG"
            ]
        )
    }

    @Test(arguments: ["serve", "check"])
    func anUnreadableSecretIs78(verb: String) async throws {
        let scratch = try ScratchDirectory()
        try scratch.remove("master")
        let run = await CapturedRun.run([verb, "--config", scratch.configuration])
        #expect(run.exitCode == .configuration)
        #expect(
            run.complaints == [
                "speechgate: \(scratch.configuration):secrets.master: cannot read file \(scratch.file("master")): "
                    + "No such file or directory"
            ]
        )
    }

    @Test func checkWarnsOfWhatEveryoneCanRead() async throws {
        let scratch = try ScratchDirectory()
        try scratch.write("account", "s", mode: 0o644)
        let run = await CapturedRun.run(["check", "--config", scratch.configuration])
        #expect(run.exitCode == .success)
        #expect(run.complaints.count == 1)
        #expect(run.complaints.first?.contains("chmod 600 is advised") == true)
    }

    @Test func aStateDirectoryThatIsAFileIs78() async throws {
        let scratch = try ScratchDirectory()
        try scratch.write("state", "", mode: 0o600)
        let run = await CapturedRun.run(["check", "--config", scratch.configuration])
        #expect(run.exitCode == .configuration)
        #expect(
            run.complaints == [
                "speechgate: \(scratch.configuration):stateDirectory: \(scratch.file("state")) is no directory"
            ]
        )
    }

    @Test(arguments: [("check", ExitCode.configuration), ("serve", .cannotCreate)])
    func aLogFileThatCannotBeMadeEndsTheVerb(verb: String, exitCode: ExitCode) async throws {
        let scratch = try ScratchDirectory(settings: #"log: {file: "missing/log"}"#)
        let run = await CapturedRun.run([verb, "--config", scratch.configuration])
        #expect(run.exitCode == exitCode)
        // Like all paths, it counts from the configuration's directory.
        #expect(run.complaints.count == 1)
        #expect(run.complaints.first?.contains("log.file") == true, "\(run.complaints)")
        #expect(run.complaints.first?.contains("\(scratch.file("missing/log"))") == true, "\(run.complaints)")
    }

    @Test func checkNamesTheLogFile() async throws {
        let scratch = try ScratchDirectory(settings: #"log: {file: "log"}"#)
        let run = await CapturedRun.run(["check", "--config", scratch.configuration])
        #expect(run.exitCode == .success)
        #expect(run.output.contains("info, json, to \(scratch.file("log"))"), "\(run.output)")
    }

    @Test func theSecretOfARotationCountsFromTheConfigurationToo() async throws {
        let scratch = try ScratchDirectory()
        let text = try String(contentsOfFile: scratch.configuration, encoding: .utf8)
        let settings = text.replacing("secrets: {", with: #"secrets: {previousMaster: {file: "before"}, "#)
        try scratch.write("speechgate.json5", settings, mode: 0o644)
        try scratch.write("before", String(repeating: "89abcdef01234567", count: 4), mode: 0o600)
        #expect(await CapturedRun.run(["check", "--config", scratch.configuration]).exitCode == .success)
    }

    @Test func aStateDirectoryTooDeepForASocketIs78() async throws {
        let deep = "/tmp/" + String(repeating: "d", count: 100)
        let scratch = try ScratchDirectory()
        let text = try String(contentsOfFile: scratch.configuration, encoding: .utf8)
        try scratch.write("speechgate.json5", text.replacing(#""state""#, with: "\"\(deep)\""), mode: 0o644)
        let run = await CapturedRun.run(["check", "--config", scratch.configuration])
        #expect(run.exitCode == .configuration)
        #expect(run.complaints.first?.contains(":stateDirectory: the path is too long") == true)
    }

    @Test func echoIsNotServedBeyondThisMachineEvenByOption() async throws {
        let scratch = try ScratchDirectory(settings: "echo: true")
        let run = await CapturedRun.run(["serve", "--config", scratch.configuration, "--listen", "0.0.0.0:0"])
        #expect(run.exitCode == .configuration)
        #expect(run.complaints.first?.contains(":echo: /v1/echo asks for no credentials") == true)
    }

    @Test func signPrintsPayloadAndSignature() async throws {
        let scratch = try ScratchDirectory()
        try scratch.write("config.json", #"{"coreType":"en.word.score","referenceText":"hé &=+"}"#, mode: 0o644)
        let run = await CapturedRun.run([
            "sign", "--config", scratch.configuration, "--account", "main", "--param-file",
            "config=\(scratch.file("config.json"))", "--param", "b=", "--param", "a=1 2",
        ])
        #expect(run.exitCode == .success)
        // openssl dgst -sha256 -hmac hunter2-hunter2 -binary | base64
        #expect(
            run.output == #"""
                {"payload":"a=1 2&config={\"coreType\":\"en.word.score\",\"referenceText\":\"hé &=+\"}","signature":"6I+a7FfAjghHNR6KupMwc9/VniZk00xOf/WClcXVjyc="}

                """#
        )
    }

    @Test(arguments: [
        (["sign", "--secret-file", "/nowhere"], ExitCode.noInput, "--secret-file: cannot read file /nowhere: No such"),
        (
            ["sign", "--secret-file", "DIR/account", "--param-file", "a=/nowhere"], .noInput,
            "--param-file: cannot read"
        ),
        (
            ["sign", "--account", "other", "--config", "DIR/speechgate.json5"], .usage,
            "--account: no account \"other\""
        ),
        (
            ["sign", "--secret-file", "DIR/account", "--param-file", "a=DIR/binary"], .dataError,
            "--param-file: DIR/binary"
        ),
    ])
    func signNamesWhatItCannotRead(arguments: [String], exitCode: ExitCode, beginning: String) async throws {
        let scratch = try ScratchDirectory()
        try Data([0xFF, 0xFE]).write(to: URL(fileURLWithPath: scratch.file("binary")))
        let run = await CapturedRun.run(arguments.map { $0.replacing("DIR", with: scratch.path) })
        #expect(run.exitCode == exitCode)
        let complaint = run.complaints.first?.replacing(scratch.path, with: "DIR") ?? ""
        #expect(complaint.hasPrefix("speechgate: " + beginning), "\(complaint)")
    }
}
