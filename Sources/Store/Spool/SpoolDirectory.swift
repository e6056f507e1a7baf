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
        /// One client's largest share is the present budget divided by this; one of its users takes half of that.
        ///
        /// The default is 4.
        public var clientDivisor: Int64 = 4
        /// What the spool leaves free on its file system, in bytes.
        ///
        /// The default is 0.
        public var minimumFree: Int64 = 0

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
        var byUser: [User: Int64] = [:]

        mutating func add(_ part: Part) {
            self.reserved += part.bytes
            self.byClient[part.client, default: 0] += part.bytes
            if let user = part.owner { self.byUser[user, default: 0] += part.bytes }
        }

        mutating func remove(_ part: Part) {
            self.reserved -= part.bytes
            let left = self.byClient[part.client, default: 0] - part.bytes
            self.byClient[part.client] = left > 0 ? left : nil
            guard let user = part.owner else { return }
            let leftOfUser = self.byUser[user, default: 0] - part.bytes
            self.byUser[user] = leftOfUser > 0 ? leftOfUser : nil
        }
    }

    fileprivate struct User: Hashable {
        let client: String
        let name: String
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
    ///   - user: The client's user, in whose part of that it counts; nil for none.
    /// - Throws: `.spoolFull` when the budget or a share is used up, `.diskLow` when the disk is,
    ///   `.unavailable` when no file can be made.
    public func makeFile(
        reserving bytes: Int,
        client: String,
        user: String? = nil
    ) throws(StoreError) -> SpoolFile {
        let part = Part(bytes: Int64(bytes), client: client, user: user)
        try self.reserve(part)
        do throws(StoreError) {
            return SpoolFile(descriptor: try self.openFile(), directory: self, part: part)
        } catch {
            self.giveBack(part, written: 0)
            throw error
        }
    }

    // MARK: Budget

    /// What is reserved for one client, or one of its users.
    struct Part {
        var bytes: Int64
        let client: String
        let user: String?

        fileprivate var owner: User? { self.user.map { User(client: self.client, name: $0) } }
    }

    /// Reserves room, or nothing.
    ///
    /// - Parameter previous: What is reserved already and becomes this.
    func reserve(_ part: Part, insteadOf previous: Part? = nil) throws(StoreError) {
        let free = self.freeSpace(self.configuration.directory)
        let refusal = self.usage.withLock { (usage) -> StoreError? in
            let growth = part.bytes - (previous?.bytes ?? 0)
            // What would be free without the spool; what is reserved and not written yet is as good as gone.
            let disk = free.map { $0 + usage.written }
            let room = disk.map { $0 - self.configuration.minimumFree } ?? .max
            guard usage.reserved + growth <= room || growth <= 0 else {
                return StoreError(code: .diskLow, message: "the disk of the spool is nearly full; free space")
            }
            let budget = min(self.configuration.budget, disk.map { $0 / 2 } ?? .max)
            let share = min(budget, max(room, usage.reserved)) / max(1, self.configuration.clientDivisor)
            let used = usage.byClient[part.client, default: 0]
            guard usage.reserved + growth <= budget else {
                return Self.noRoom(for: part.bytes, "\(usage.reserved) of \(budget) bytes are used")
            }
            guard used + part.bytes <= share else {
                return Self.noRoom(for: part.bytes, "the client uses \(used) of its \(share) bytes")
            }
            if let user = part.owner {
                let used = usage.byUser[user, default: 0]
                guard used + part.bytes <= share / 2 else {
                    return Self.noRoom(for: part.bytes, "the user uses \(used) of \(share / 2) bytes")
                }
            }
            if let previous { usage.remove(previous) }
            usage.add(part)
            return nil
        }
        if let refusal { throw refusal }
    }

    private static func noRoom(for bytes: Int64, _ reason: String) -> StoreError {
        StoreError(
            code: .spoolFull,
            message: "the spool has no room for \(bytes) bytes: \(reason); try again later"
        )
    }

    func noteWritten(_ bytes: Int64) {
        self.usage.withLock { $0.written += bytes }
    }

    func giveBack(_ part: Part, written: Int64) {
        self.usage.withLock { usage in
            usage.remove(part)
            usage.written -= written
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
