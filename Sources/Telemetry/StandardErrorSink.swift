private import Glibc
private import Synchronization

/// Writes log lines to standard error, each with one `write(2)`.
public final class StandardErrorSink: LogSink {
    private let format: LogFormat
    private let descriptor: Int32
    private let dropped = Atomic<UInt64>(0)

    /// Makes a sink.
    ///
    /// - Parameters:
    ///   - format: How lines look. The default is JSON.
    ///   - descriptor: What to write to, which stays the caller's. The default is standard error.
    public init(format: LogFormat = .json, descriptor: Int32 = 2) {
        self.format = format
        self.descriptor = descriptor
    }

    /// How many lines were lost because the descriptor took none.
    public var droppedLines: UInt64 { self.dropped.load(ordering: .relaxed) }

    /// Writes one line.
    public func write(_ record: LogRecord) {
        let line = record.line(self.format)
        line.withUnsafeBytes { line in
            var rest = line
            while !rest.isEmpty {
                let count = Glibc.write(self.descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    // A full pipe that does not block, or a closed one: a daemon must not stand still for its log.
                    self.dropped.wrappingAdd(1, ordering: .relaxed)
                    return
                }
                // A line fits into a pipe at once; only a terminal or a full disk takes part of one.
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
