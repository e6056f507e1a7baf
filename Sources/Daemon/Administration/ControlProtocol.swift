/// What command line and daemon agree on: HTTP on the control socket, a command as JSON in a POST; the answer's body is
/// what the command line prints.
enum ControlProtocol {
    /// The only path.
    static let path = "/control"
    /// The field with the command that brings the next page of a list, as JSON in Base64; in lower case.
    static let nextField = "speechgate-next"
    /// The largest command in bytes.
    static let maximumCommand = 64 << 10

    /// The body of an answer that is no success.
    struct Failure: Codable, Sendable {
        /// How the command line ends.
        let exitCode: Int32
        /// What it says.
        let message: String
    }
}

/// What a command came to.
struct AdministrationReply: Hashable, Sendable {
    /// What the command line prints: NDJSON.
    var output: [UInt8]
    /// What brings the next page of a list; nil at its end.
    var next: AdministrationCommand?
}
