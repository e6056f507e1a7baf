/// Where a secret comes from; never the secret itself.
struct SecretReference: Hashable, Sendable, CustomStringConvertible {
    /// The places a secret can be in.
    enum Source: String, Hashable, Sendable {
        /// A file.
        case file
        /// An environment variable.
        case environment = "env"
        /// A file in the directory that systemd names in `$CREDENTIALS_DIRECTORY`.
        case credential
    }

    /// The kind of place.
    let source: Source
    /// The file's path, the variable's name, or the credential's name.
    let name: String

    /// How a reference is written.
    static let forms = #"{file: "PATH"}, {env: "VARIABLE"} or {credential: "NAME"}"#

    /// The reference in words, for messages.
    var description: String {
        switch self.source {
        case .file: "file \(self.name)"
        case .environment: "environment variable \(self.name)"
        case .credential: "credential \(self.name)"
        }
    }
}
