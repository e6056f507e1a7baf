/// A configuration together with the file it was read from.
struct ConfigurationFile: Sendable {
    /// The largest configuration file in bytes.
    static let maximumSize = 1 << 20
    /// Where the file is unless the command line or `$SPEECHGATE_CONFIG` says otherwise.
    static let defaultPath = "/etc/speechgate/speechgate.json5"

    /// The file as it was named.
    let path: String
    /// Its settings; paths count from the current directory.
    var configuration: Configuration

    /// Chooses the file: the one named on the command line, else that of `$SPEECHGATE_CONFIG`, else the default.
    static func path(named path: String?, environment: [String: String]) -> String {
        if let path { return path }
        if let path = environment["SPEECHGATE_CONFIG"], !path.isEmpty { return path }
        return Self.defaultPath
    }

    /// Reads a file.
    ///
    /// Secrets are not looked at yet.
    ///
    /// - Throws: ``ConfigurationError`` with everything that is wrong.
    static func load(_ path: String) throws(ConfigurationError) -> ConfigurationFile {
        let contents: FileContents
        do {
            contents = try FileContents.read(path, maximum: Self.maximumSize)
        } catch {
            let advice = error.isMissing ? "; name another one with --config FILE or $SPEECHGATE_CONFIG" : ""
            let message = "cannot read the configuration: \(error.reason)\(advice)"
            throw ConfigurationError(
                file: path,
                issues: [ConfigurationIssue(path: nil, position: nil, message: message)]
            )
        }
        var configuration = try Configuration(reading: contents.bytes, file: path)
        configuration.resolvePaths(besideFile: path)
        try configuration.checkPaths(file: path)
        return ConfigurationFile(path: path, configuration: configuration)
    }
}

extension Configuration {
    /// The daemon's socket for its own command line.
    var controlSocketPath: String { self.stateDirectory + "/control.sock" }

    /// Makes relative paths count from the directory of the file that names them.
    fileprivate mutating func resolvePaths(besideFile file: String) {
        self.stateDirectory = PathText.resolve(self.stateDirectory, besideFile: file)
        while self.stateDirectory.count > 1, self.stateDirectory.hasSuffix("/") { self.stateDirectory.removeLast() }
        self.log.file = self.log.file.map { PathText.resolve($0, besideFile: file) }
        if let path = self.yugu.certificateAuthorityFile {
            self.yugu.certificateAuthorityFile = PathText.resolve(path, besideFile: file)
        }
        self.secrets.master = self.secrets.master?.resolved(besideFile: file)
        self.secrets.previousMaster = self.secrets.previousMaster?.resolved(besideFile: file)
        self.secrets.upstreamKey = self.secrets.upstreamKey?.resolved(besideFile: file)
        for index in self.yugu.accounts.indices {
            self.yugu.accounts[index].secretKey = self.yugu.accounts[index].secretKey.resolved(besideFile: file)
        }
    }

    fileprivate func checkPaths(file: String) throws(ConfigurationError) {
        // sun_path is 108 bytes with its final NUL (unix(7)).
        guard self.controlSocketPath.utf8.count >= 108 else { return }
        let message = "the path is too long: \(self.controlSocketPath) must fit into the 107 bytes of a socket address"
        throw ConfigurationError(
            file: file,
            issues: [ConfigurationIssue(path: "stateDirectory", position: nil, message: message)]
        )
    }
}

extension SecretReference {
    fileprivate func resolved(besideFile file: String) -> SecretReference {
        guard self.source == .file else { return self }
        return SecretReference(source: .file, name: PathText.resolve(self.name, besideFile: file))
    }
}
