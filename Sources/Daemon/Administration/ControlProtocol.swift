/// What command line and daemon agree on: HTTP on the control socket, a command as JSON in a POST; the answer's body is
/// what the command line prints.
enum ControlProtocol {
    /// The only path.
    static let path = "/control"
    /// The field that tells where a list goes on, in lower case.
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
    /// Where a list goes on; nil at its end.
    var next: Int64?
}
