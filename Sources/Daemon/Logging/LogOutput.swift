internal import Glibc
internal import Telemetry

/// Where the daemon's log goes: to a file, to systemd's journal, or to standard error.
struct LogOutput: Sendable {
    /// How often it is told which lines were left out.
    private static let reportInterval: Duration = .seconds(10)

    let logger: Logger
    /// The file, where the log goes to one.
    private let file: FileSink?

    /// Opens it.
    ///
    /// - Parameter environment: The process's, by which systemd says that standard error is the journal's.
    /// - Throws: ``VerbFailure`` when there is a file and it cannot be opened.
    init(_ log: Configuration.Log, environment: [String: String]) throws(VerbFailure) {
        let format = log.lineFormat
        let sink: any LogSink
        if let path = log.file {
            do throws(FileSink.OpenError) {
                let file = try FileSink(path: path, format: format)
                self.file = file
                sink = file
            } catch {
                throw VerbFailure(.cannotCreate, "\(error); it is log.file in the configuration")
            }
        } else {
            self.file = nil
            sink =
                JournalSink.isJournal(environment["JOURNAL_STREAM"])
                ? JournalSink(identifier: "speechgate", format: format) : StandardErrorSink(format: format)
        }
        self.logger = Logger(level: log.loggerLevel, sink: sink, linesPerSecond: log.linesPerSecond)
    }

    /// Goes on in the file that has the name now: the old one was moved away.
    func reopen() {
        guard let file else { return }
        do throws(FileSink.OpenError) {
            try file.reopen()
            self.logger.notice("log file opened again")
        } catch {
            self.logger.error("the log goes on to the old file", ["log.error": .string(error.description)])
        }
    }

    /// Tells now and then which lines were left out, until its task is cancelled.
    func report() async {
        while (try? await Task.sleep(for: Self.reportInterval)) != nil {
            self.logger.reportLeftOut()
        }
        self.logger.reportLeftOut()
    }

    /// Why a log file cannot be written by this user, as far as can be seen without touching it; nil when it can.
    static func fault(of path: String) -> String? {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let exists = access(path, F_OK) == 0
        let isWritable = exists ? access(path, W_OK) == 0 : access(folder, W_OK | X_OK) == 0
        guard !isWritable else { return nil }
        let reason = String(cString: strerror(errno))
        return exists
            ? "cannot write to \(path): \(reason)" : "cannot make \(path) in its directory: \(reason)"
    }
}

extension Configuration.Log {
    /// The level as the logger knows it.
    var loggerLevel: Logger.Level { Logger.Level(name: self.level.rawValue) ?? .info }

    /// The form of lines as sinks know it.
    fileprivate var lineFormat: LogFormat {
        switch self.format {
        case .json: .json
        case .text: .text
        }
    }
}
