/// How a verb ends (sysexits.h).
enum ExitCode: Int32, Error, Sendable {
    /// All is well.
    case success = 0
    /// The command line is wrong.
    case usage = 64
    /// What the verb was given does not fit what there is.
    case dataError = 65
    /// A file that was named cannot be read.
    case noInput = 66
    /// A client that was named does not exist.
    case noUser = 67
    /// A listener's address is taken or does not exist.
    case unavailable = 69
    /// A fault of the program.
    case software = 70
    /// Something could not be created.
    case cannotCreate = 73
    /// Reading or writing failed.
    case ioError = 74
    /// It may work later: another process holds the state directory.
    case temporaryFailure = 75
    /// The user may not do this.
    case noPermission = 77
    /// The configuration is wrong.
    case configuration = 78
}

/// A verb that ends without success.
struct VerbFailure: Error, Hashable, Sendable {
    /// How the process ends.
    let exitCode: ExitCode
    /// What went wrong and what to do about it, one or more lines.
    let lines: [String]
    /// Whether the same verb may succeed in a moment.
    var isWorthRepeating = false

    init(_ exitCode: ExitCode, _ message: String) {
        self.exitCode = exitCode
        self.lines = [message]
    }

    init(_ error: ConfigurationError) {
        self.exitCode = .configuration
        self.lines = error.lines
    }
}
