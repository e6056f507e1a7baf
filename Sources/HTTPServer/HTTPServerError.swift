internal import Glibc

/// Why a server does not listen.
public struct HTTPServerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The text of an address cannot be understood.
        case invalidAddress
        /// Another process listens there.
        case addressInUse
        /// The process may not listen there: a port under 1024, or a folder it may not write to.
        case permissionDenied
        /// The machine has no such address, or the folder of a socket does not exist.
        case noSuchAddress
        /// The path of a Unix-domain socket holds something that is no socket; it is left alone.
        case pathOccupied
        /// An inherited descriptor is not a listening stream socket.
        case notListening
        /// The process or the system has no descriptor left.
        case exhausted
        /// The server was started before.
        case alreadyStarted
        /// The server does not serve yet, or no longer.
        case notServing
        /// Any other refusal of the system.
        case system
    }

    /// The kind of failure.
    public let code: Code
    /// What failed and what to do about it.
    public let message: String
    /// The system's error number; 0 when the system was not asked.
    public let errorNumber: Int32

    init(_ code: Code, _ message: String, errorNumber: Int32 = 0) {
        self.code = code
        self.message = message
        self.errorNumber = errorNumber
    }

    /// Reads an error number that came of making a socket listen.
    init(listeningOn address: String, errorNumber: Int32) {
        let code: Code
        let reason: String
        switch errorNumber {
        case EADDRINUSE:
            code = .addressInUse
            reason = "it is in use; stop the process that listens there, or choose another address"
        case EACCES, EPERM:
            code = .permissionDenied
            reason = "permission denied; ports under 1024 need a capability, sockets a folder that can be written to"
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            code = .noSuchAddress
            reason = "this machine has no such address"
        case ENOENT, ENOTDIR:
            code = .noSuchAddress
            reason = "the folder does not exist"
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            code = .exhausted
            reason = "no descriptor or memory is left"
        case EROFS:
            code = .permissionDenied
            reason = "the file system is read-only"
        default:
            code = .system
            reason = strerror(errorNumber).map { String(cString: $0) } ?? "error \(errorNumber)"
        }
        self.init(code, "cannot listen on \(address): \(reason)", errorNumber: errorNumber)
    }

    /// The message.
    public var description: String { self.message }
}
