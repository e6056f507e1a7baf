/// Why a client could not be made.
public struct UpstreamClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of fault it is.
    public enum Code: Hashable, Sendable {
        /// libcurl could not be set up, or lacks what is needed.
        case libcurl
        /// The file of certificate authorities cannot be read.
        case certificateAuthorityFile
        /// A setting is out of range.
        case configuration
    }

    /// What kind of fault it is.
    public let code: Code
    /// What failed and what to do about it.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { self.message }
}
