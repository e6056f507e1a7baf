internal import Glibc

/// Why a loop could not be made, or could not watch a descriptor.
public struct EventLoopError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: String, Hashable, Sendable {
        /// The process or the system has no descriptor or watch left (EMFILE, ENFILE, ENOSPC, ENOMEM).
        case exhausted
        /// The descriptor is watched already, is not open, or cannot be watched.
        case badDescriptor
        /// The loop is stopped.
        case stopped
        /// Any other refusal of the system.
        case system
    }

    /// The kind of failure.
    public let code: Code
    /// What failed.
    public let message: String
    /// The system's error number; 0 when the system was not asked.
    public let errorNumber: Int32

    init(_ code: Code, _ message: String, errorNumber: Int32 = 0) {
        self.code = code
        self.message = message
        self.errorNumber = errorNumber
    }

    init(errorNumber: Int32, _ message: String) {
        let code: Code =
            switch errorNumber {
            case EMFILE, ENFILE, ENOSPC, ENOMEM: .exhausted
            case EBADF, EEXIST, EPERM, EINVAL, ELOOP: .badDescriptor
            default: .system
            }
        self.init(code, message, errorNumber: errorNumber)
    }

    /// What failed, with the system's own words.
    public var description: String {
        guard self.errorNumber != 0, let text = strerror(self.errorNumber) else { return self.message }
        return "\(self.message): \(String(cString: text))"
    }
}
