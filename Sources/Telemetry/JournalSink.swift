private import CLinux
private import Glibc
private import Synchronization

/// Sends log messages to systemd's journal with their data as fields, by its native protocol.
///
/// A journal that does not keep up loses lines and is not waited for; where there is none at the socket, lines go to
/// standard error with their level in front.
public final class JournalSink: LogSink {
    private let identifier: String
    private let format: LogFormat
    private let path: String
    private let socket: Int32
    private let errors: StandardErrorSink
    private let lost = Atomic<UInt64>(0)

    /// Makes a sink.
    ///
    /// - Parameters:
    ///   - identifier: The program's name, the field `SYSLOG_IDENTIFIER`.
    ///   - format: How the field `MESSAGE` looks; in text, time and level are left out of it. The default is JSON.
    ///   - path: The journal's socket.
    ///   - descriptor: Where lines go instead. The default is standard error.
    public init(
        identifier: String,
        format: LogFormat = .json,
        path: String = "/run/systemd/journal/socket",
        descriptor: Int32 = 2
    ) {
        self.identifier = identifier
        self.format = format
        self.path = path
        self.socket = clinux_datagram_socket()
        self.errors = StandardErrorSink(format: format, descriptor: descriptor, marksLevels: true)
    }

    deinit {
        if self.socket >= 0 { close(self.socket) }
    }

    /// Whether a stream is the journal's, as systemd says it by `JOURNAL_STREAM` (systemd.exec(5)).
    ///
    /// - Parameters:
    ///   - variable: The variable's value: device and inode. It is inherited by programs whose output goes elsewhere.
    ///   - descriptor: The stream. The default is standard error.
    public static func isJournal(_ variable: String?, descriptor: Int32 = 2) -> Bool {
        var status = stat()
        guard let variable, fstat(descriptor, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }

    /// How many messages were lost because the journal took none.
    public var lostLines: UInt64 { self.lost.load(ordering: .relaxed) + self.errors.lostLines }

    /// Sends one message.
    public func write(_ record: LogRecord) {
        let entry = JournalEntry(record, format: self.format, identifier: self.identifier)
        let failure = entry.bytes.withUnsafeBytes { bytes in
            clinux_send_datagram_from(self.socket, self.path, bytes.baseAddress, bytes.count) == 0 ? 0 : errno
        }
        switch failure {
        case 0: break
        case EAGAIN, ENOBUFS: self.lost.wrappingAdd(1, ordering: .relaxed)
        default: self.errors.write(record)
        }
    }
}
