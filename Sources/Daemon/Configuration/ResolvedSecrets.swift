internal import Cryptography

/// The secrets that a configuration refers to.
struct ResolvedSecrets: Sendable {
    /// What signing credentials and tokens are derived from.
    var master: Secret
    /// The master before this one, or nil.
    var previousMaster: Secret?
    /// What the idempotency keys sent to platforms are derived from.
    let upstreamKey: Secret
    /// The secret of each account, in the order of `yugu.accounts`.
    var accounts: [Secret]
    /// What is not wrong but unwise, one line each.
    let warnings: [String]

    /// Reads all secrets, and the other files that the settings name.
    ///
    /// - Parameters:
    ///   - file: The configuration, and where it came from.
    ///   - environment: The process's environment.
    /// - Throws: ``ConfigurationError`` with every secret that cannot be used.
    init(for file: ConfigurationFile, environment: [String: String]) throws(ConfigurationError) {
        var reader = SecretReader(environment: environment)
        let configuration = file.configuration
        let master = reader.readOwn(configuration.secrets.master, path: "secrets.master")
        let previousMaster = configuration.secrets.previousMaster.flatMap {
            reader.readOwn($0, path: "secrets.previousMaster")
        }
        let upstreamKey = reader.readOwn(configuration.secrets.upstreamKey, path: "secrets.upstreamKey")
        if let master, master == upstreamKey {
            reader.refuse("secrets.upstreamKey", "this is the same secret as secrets.master; \(SecretReader.recipe)")
        }
        var accounts: [Secret] = []
        for (index, account) in configuration.yugu.accounts.enumerated() {
            let path = "yugu.accounts[\(index)].secretKey"
            if let bytes = reader.read(account.secretKey, path: path) { accounts.append(Secret(bytes)) }
        }
        reader.checkAuthorities(configuration.yugu.certificateAuthorityFile, path: "yugu.certificateAuthorityFile")
        guard reader.issues.isEmpty, let master, let upstreamKey else {
            throw ConfigurationError(file: file.path, issues: reader.issues)
        }
        self.master = master
        self.previousMaster = previousMaster
        self.upstreamKey = upstreamKey
        self.accounts = accounts
        self.warnings = reader.warnings.map { $0.line(file: file.path) }
    }
}

/// Follows references and gathers what is wrong with them.
///
/// No message holds a byte of a secret.
struct SecretReader {
    /// How a secret of our own is made.
    static let recipe = "`openssl rand -hex 32` makes one"
    /// The largest secret in bytes.
    static let maximumSize = 4 << 10
    /// The least length of a secret of our own in bytes.
    static let minimumOwnSize = 32

    private(set) var issues: [ConfigurationIssue] = []
    private(set) var warnings: [ConfigurationIssue] = []
    private let environment: [String: String]

    init(environment: [String: String]) {
        self.environment = environment
    }

    mutating func refuse(_ path: String, _ message: String) {
        self.issues.append(ConfigurationIssue(path: path, position: nil, message: message))
    }

    /// Reads one of the daemon's own secrets: 64 hexadecimal digits, or a text of at least 32 bytes.
    mutating func readOwn(_ reference: SecretReference?, path: String) -> Secret? {
        guard let reference else {
            self.refuse(path, "this secret has no default; \(Self.recipe)")
            return nil
        }
        guard let bytes = self.read(reference, path: path) else { return nil }
        if bytes.count == 64, let decoded = Hex.decode(String(decoding: bytes, as: UTF8.self)) {
            return Secret(decoded)
        }
        guard bytes.count >= Self.minimumOwnSize else {
            let wanted = "64 hexadecimal digits or a text of at least \(Self.minimumOwnSize) bytes are wanted"
            self.refuse(path, "\(reference) is too short, \(bytes.count) bytes; \(wanted): \(Self.recipe)")
            return nil
        }
        return Secret(bytes)
    }

    /// Reads a secret; one newline at the end of a file does not count.
    mutating func read(_ reference: SecretReference, path: String) -> [UInt8]? {
        let bytes: [UInt8]?
        switch reference.source {
        case .environment:
            bytes = self.environment[reference.name].map { Array($0.utf8) }
            if bytes == nil { self.refuse(path, "\(reference) is not set") }
        case .file:
            bytes = self.readFile(reference.name, of: reference, path: path)
        case .credential:
            guard let directory = self.environment["CREDENTIALS_DIRECTORY"], !directory.isEmpty else {
                let advice = "$CREDENTIALS_DIRECTORY is not set; systemd sets it where LoadCredential= is used"
                self.refuse(path, "\(reference) cannot be found: \(advice)")
                return nil
            }
            bytes = self.readFile("\(directory)/\(reference.name)", of: reference, path: path)
        }
        guard let bytes else { return nil }
        guard !bytes.isEmpty else {
            self.refuse(path, "\(reference) is empty")
            return nil
        }
        return bytes
    }

    private mutating func readFile(_ name: String, of reference: SecretReference, path: String) -> [UInt8]? {
        let contents: FileContents
        do throws(FileError) {
            contents = try FileContents.read(name, maximum: Self.maximumSize)
        } catch {
            self.refuse(path, "cannot read \(reference): \(error.reason)")
            return nil
        }
        if contents.isWorldReadable {
            let message = "\(reference) can be read by every user of this machine; chmod 600 is advised"
            self.warnings.append(ConfigurationIssue(path: path, position: nil, message: message))
        }
        var bytes = contents.bytes
        if bytes.last == 0x0A {
            bytes.removeLast()
            if bytes.last == 0x0D { bytes.removeLast() }
        }
        return bytes
    }

    /// Checks that a file holds certificates, as far as their frame goes.
    mutating func checkAuthorities(_ file: String?, path: String) {
        guard let file else { return }
        do throws(FileError) {
            let contents = try FileContents.read(file, maximum: 4 << 20)
            if !String(decoding: contents.bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") {
                self.refuse(path, "the file \(file) holds no certificate in PEM form")
            }
        } catch {
            self.refuse(path, "cannot read the file \(file): \(error.reason)")
        }
    }
}
