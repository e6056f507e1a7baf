private import Glibc

/// Writes log lines to the end of a file, which can be moved away and made anew while lines come.
public final class FileSink: LogSink {
    /// Why a log file cannot be opened.
    public struct OpenError: Error, CustomStringConvertible {
        /// What failed, with the file.
        public let description: String
    }

    private let path: String
    private let format: LogFormat
    private let writer: LineWriter

    /// Opens a file, or makes it for its owner and group to read.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - format: How lines look. The default is JSON.
    public init(path: String, format: LogFormat = .json) throws(OpenError) {
        self.path = path
        self.format = format
        self.writer = LineWriter(descriptor: try Self.open(path))
    }

    deinit {
        close(self.writer.descriptor)
    }

    /// How many lines were lost because the disk had no room for them.
    public var lostLines: UInt64 { self.writer.lostLines }

    /// Writes one line.
    public func write(_ record: LogRecord) {
        self.writer.write(record.line(self.format))
    }

    /// From now on writes to the file that has the name now, which is made if it has gone.
    ///
    /// No line is lost: each goes to the old file or to the new one.
    ///
    /// - Throws: ``OpenError`` when that is not possible; lines go on to the old file.
    public func reopen() throws(OpenError) {
        let next = try Self.open(self.path)
        defer { close(next) }
        // The descriptor changes its file between two writes and keeps its number, so no thread ever meets a closed one.
        guard dup2(next, self.writer.descriptor) >= 0 else { throw Self.failure(self.path) }
        _ = fcntl(self.writer.descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static func open(_ path: String) throws(OpenError) -> Int32 {
        let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY
        var descriptor = Glibc.open(path, flags)
        if descriptor < 0, errno == ENOENT {
            descriptor = Glibc.open(path, flags | O_CREAT, 0o640)
            // Who collects logs may read them, whatever the daemon's mask is for its secrets.
            if descriptor >= 0 { fchmod(descriptor, 0o640) }
        }
        guard descriptor >= 0 else { throw Self.failure(path) }
        return descriptor
    }

    private static func failure(_ path: String) -> OpenError {
        OpenError(description: "cannot open the log file \(path): \(String(cString: strerror(errno)))")
    }
}
