import Cryptography
import Testing

@testable import Daemon

@Suite struct SecretTests {
    static func read(_ scratch: ScratchDirectory, environment: [String: String] = [:]) throws -> ResolvedSecrets {
        try ResolvedSecrets(for: try ConfigurationFile.load(scratch.configuration), environment: environment)
    }

    static func complaints(_ scratch: ScratchDirectory, environment: [String: String] = [:]) -> [String] {
        do {
            _ = try self.read(scratch, environment: environment)
            return []
        } catch let error as ConfigurationError {
            return error.lines.map { $0.replacing(scratch.path, with: "DIR") }
        } catch {
            return ["\(error)"]
        }
    }

    @Test func hexDigitsAreDecodedAndOneFinalNewlineDoesNotCount() throws {
        let scratch = try ScratchDirectory()
        let secrets = try Self.read(scratch)
        #expect(secrets.master.count == 32)
        #expect(secrets.master.withBytes { Array($0) }.prefix(3) == [0x01, 0x23, 0x45])
        #expect(secrets.accounts.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } } == ["hunter2-hunter2"])
        #expect(secrets.warnings.isEmpty)
    }

    @Test(arguments: [
        ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("a ", "a "), ("a", "a"), ("\na", "\na"),
    ])
    func anAccountsSecretIsTakenAsItStands(text: String, expected: String) throws {
        let scratch = try ScratchDirectory()
        try scratch.write("account", text, mode: 0o600)
        let secrets = try Self.read(scratch)
        #expect(secrets.accounts.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } } == [expected])
    }

    @Test func aLongTextServesAsASecretOfOurOwn() throws {
        let scratch = try ScratchDirectory()
        let text = "correct horse battery staple, thirty-two"
        try scratch.write("master", text, mode: 0o600)
        #expect(try Self.read(scratch).master.withBytes { Array($0) } == Array(text.utf8))
    }

    @Test func allSecretsThatCannotBeUsedAreNamedAndNoneIsShown() throws {
        let scratch = try ScratchDirectory()
        try scratch.write("master", "hunter2\n", mode: 0o600)
        try scratch.remove("upstream")
        try scratch.write("account", "\n", mode: 0o600)
        #expect(
            Self.complaints(scratch) == [
                "DIR/speechgate.json5:secrets.master: file DIR/master is too short, 7 bytes; 64 hexadecimal digits or a "
                    + "text of at least 32 bytes are wanted: `openssl rand -hex 32` makes one",
                "DIR/speechgate.json5:secrets.upstreamKey: cannot read file DIR/upstream: No such file or directory",
                "DIR/speechgate.json5:yugu.accounts[0].secretKey: file DIR/account is empty",
            ]
        )
    }

    @Test func sixtyFourCharactersThatAreNoDigitsAreAText() throws {
        let scratch = try ScratchDirectory()
        try scratch.write("master", String(repeating: "g", count: 64), mode: 0o600)
        #expect(try Self.read(scratch).master.count == 64)
    }

    @Test func equalSecretsAreRefusedAlsoInDifferentPlaces() throws {
        let scratch = try ScratchDirectory()
        // The same 32 bytes, spelled differently.
        try scratch.write("upstream", String(repeating: "0123456789ABCDEF", count: 4), mode: 0o600)
        #expect(
            Self.complaints(scratch) == [
                "DIR/speechgate.json5:secrets.upstreamKey: this is the same secret as secrets.master; "
                    + "`openssl rand -hex 32` makes one"
            ]
        )
    }

    @Test func whatEveryoneCanReadIsWarnedAbout() throws {
        let scratch = try ScratchDirectory()
        try scratch.write("account", "s", mode: 0o644)
        #expect(
            try Self.read(scratch).warnings.map { $0.replacing(scratch.path, with: "DIR") } == [
                "DIR/speechgate.json5:yugu.accounts[0].secretKey: file DIR/account can be read by every user of this "
                    + "machine; chmod 600 is advised"
            ]
        )
    }

    @Test func environmentAndCredentialsAreFollowed() throws {
        let scratch = try ScratchDirectory()
        try scratch.write(
            "speechgate.json5",
            """
            {secrets: {master: {env: "MASTER"}, upstreamKey: {credential: "upstream"}},
             yugu: {accounts: [{name: "a", appKey: "k", secretKey: {env: "ACCOUNT"}}]}}
            """,
            mode: 0o644
        )
        let text = "an environment variable of 32 bytes or more"
        let environment = ["MASTER": text, "ACCOUNT": "x", "CREDENTIALS_DIRECTORY": scratch.path]
        let secrets = try Self.read(scratch, environment: environment)
        #expect(secrets.master.withBytes { Array($0) } == Array(text.utf8))
        #expect(secrets.upstreamKey.count == 32)
        #expect(
            Self.complaints(scratch, environment: ["ACCOUNT": ""]) == [
                "DIR/speechgate.json5:secrets.master: environment variable MASTER is not set",
                "DIR/speechgate.json5:secrets.upstreamKey: credential upstream cannot be found: $CREDENTIALS_DIRECTORY is "
                    + "not set; systemd sets it where LoadCredential= is used",
                "DIR/speechgate.json5:yugu.accounts[0].secretKey: environment variable ACCOUNT is empty",
            ]
        )
    }

    @Test func aPrivateAuthorityMustBeThere() throws {
        let scratch = try ScratchDirectory(yugu: #"certificateAuthorityFile: "ca.pem""#)
        #expect(
            Self.complaints(scratch) == [
                "DIR/speechgate.json5:yugu.certificateAuthorityFile: cannot read the file DIR/ca.pem: No such file or directory"
            ]
        )
        try scratch.write("ca.pem", "not a certificate", mode: 0o644)
        #expect(
            Self.complaints(scratch) == [
                "DIR/speechgate.json5:yugu.certificateAuthorityFile: the file DIR/ca.pem holds no certificate in PEM form"
            ]
        )
    }

    @Test func directoriesAreNoSecrets() throws {
        let reference = SecretReference(source: .file, name: "/tmp")
        var reader = SecretReader(environment: [:])
        #expect(reader.read(reference, path: "x") == nil)
        #expect(reader.issues.map(\.message) == ["cannot read file /tmp: Is a directory"])
    }
}
