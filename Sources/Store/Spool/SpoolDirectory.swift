private import Glibc
private import Locking

/// Where request bodies go that memory shall not hold: unlinked files under a budget.
///
/// A file is invisible from the moment it exists, so nothing is left behind however the process ends.
public final class SpoolDirectory: Sendable {
    /// How much disk the spool may use.
    public struct Configuration: Sendable {
        /// The directory.
        ///
        /// It is created with mode 0700 when it does not exist.
        public var directory: String
        /// The largest size of all files together, in bytes.
        ///
        /// The default is 4 GiB.
        ///
        /// Never more than half of what the file system would have free without the spool.
        public var budget: Int64 = 4 << 30
        /// One client's largest share is the present budget divided by this.
        ///
        /// The default is 4.
        public var clientDivisor: Int64 = 4

        /// Everything at its default.
        ///
        /// - Parameter directory: A directory in the state directory, used by the spool alone.
        public init(directory: String) {
            self.directory = directory
        }
    }

    private struct Usage {
        var reserved: Int64 = 0
        /// What of it is on disk already, and therefore no longer free.
        var written: Int64 = 0
        var byClient: [String: Int64] = [:]
    }

    private let configuration: Configuration
    /// Free bytes of a directory's file system; nil when it cannot be told.
    private let freeSpace: @Sendable (String) -> Int64?
    private let usage = Locked(Usage())
    private let serial = Locked<UInt64>(0)

    /// Makes the directory ready.
    ///
    /// - Throws: `.unavailable` when it cannot be made.
    public convenience init(_ configuration: Configuration) throws(StoreError) {
        try self.init(configuration, freeSpace: Self.freeSpace(of:))
    }

    /// As above, with another view of the file system.
    package init(
        _ configuration: Configuration,
        freeSpace: @escaping @Sendable (String) -> Int64?
    ) throws(StoreError) {
        self.configuration = configuration
        self.freeSpace = freeSpace
        try StateDirectory.create(configuration.directory)
    }

    /// The bytes reserved by all files.
    package var reservedBytes: Int64 {
        self.usage.withLock { $0.reserved }
    }

    /// Makes an empty file with room for a body.
    ///
    /// - Parameters:
    ///   - bytes: The size to reserve, in bytes; the file may grow beyond while the budget lasts.
    ///   - client: Whose share it counts against.
    /// - Throws: `.spoolFull` when the budget or the share is used up, `.unavailable` when no file can be made.
    public func makeFile(reserving bytes: Int, client: String) throws(StoreError) -> SpoolFile {
        try self.reserve(Int64(bytes), client: client)
        do throws(StoreError) {
            let descriptor = try self.openFile()
            return SpoolFile(descriptor: descriptor, directory: self, client: client, reserved: Int64(bytes))
        } catch {
            self.giveBack(reserved: Int64(bytes), written: 0, client: client)
            throw error
        }
    }

    // MARK: Budget

    func reserve(_ bytes: Int64, client: String) throws(StoreError) {
        let free = self.freeSpace(self.configuration.directory)
        let refusal = self.usage.withLock { (usage) -> String? in
            let budget = min(self.configuration.budget, free.map { ($0 + usage.written) / 2 } ?? .max)
            let share = budget / max(1, self.configuration.clientDivisor)
            let used = usage.byClient[client, default: 0]
            guard usage.reserved + bytes <= budget else {
                return "\(usage.reserved) of \(budget) bytes are used"
            }
            guard used + bytes <= share else {
                return "the client uses \(used) of its \(share) bytes"
            }
            usage.reserved += bytes
            usage.byClient[client] = used + bytes
            return nil
        }
        if let refusal {
            throw StoreError(
                code: .spoolFull,
                message: "the spool has no room for \(bytes) bytes: \(refusal); try again later"
            )
        }
    }

    func noteWritten(_ bytes: Int64) {
        self.usage.withLock { $0.written += bytes }
    }

    func giveBack(reserved: Int64, written: Int64, client: String) {
        self.usage.withLock { usage in
            usage.reserved -= reserved
            usage.written -= written
            let left = usage.byClient[client, default: 0] - reserved
            usage.byClient[client] = left > 0 ? left : nil
        }
    }

    // MARK: Files

    /// O_TMPFILE of the kernel's generic ABI; the Glibc module shows it only with `_GNU_SOURCE`.
    private static let temporaryFile: Int32 = 0o20_000_000 | O_DIRECTORY

    private func openFile() throws(StoreError) -> Int32 {
        let directory = self.configuration.directory
        let descriptor = open(directory, Self.temporaryFile | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            return descriptor
        }
        // A file system without it (overlays, some network ones), or a kernel that took the flags for O_DIRECTORY.
        guard errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT else {
            throw StoreError(errno: errno, doing: "make a file in \(directory)")
        }
        return try self.openNamedFile()
    }

    /// Makes a file and takes its name away at once.
    package func openNamedFile() throws(StoreError) -> Int32 {
        let number = self.serial.withLock { (serial) -> UInt64 in
            serial += 1
            return serial
        }
        let path = "\(self.configuration.directory)/body-\(getpid())-\(number)"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreError(errno: errno, doing: "make a file in \(self.configuration.directory)")
        }
        unlink(path)
        return descriptor
    }

    /// Bytes of a directory's file system that may still be written; nil when that cannot be told.
    package static func freeSpace(of directory: String) -> Int64? {
        var information = statvfs()
        guard statvfs(directory, &information) == 0 else {
            return nil
        }
        return Int64(clamping: UInt64(information.f_bavail) * UInt64(information.f_frsize))
    }
}
