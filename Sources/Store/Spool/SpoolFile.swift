private import Glibc
public import HTTPWire
private import Locking

/// A body on disk: appended to by one writer, read with positions, gone with its last reference.
public final class SpoolFile: HTTPBodyFile {
    /// Beyond its reservation a file grows in steps of this many bytes.
    private static let step: Int64 = 1 << 20

    private struct State {
        var size: Int64 = 0
        /// What is reserved for it.
        var part: SpoolDirectory.Part
    }

    /// The descriptor, to be read with positions (`pread`) only.
    public let descriptor: Int32
    private let directory: SpoolDirectory
    private let state: Locked<State>

    init(descriptor: Int32, directory: SpoolDirectory, part: SpoolDirectory.Part) {
        self.descriptor = descriptor
        self.directory = directory
        self.state = Locked(State(part: part))
    }

    deinit {
        close(self.descriptor)
        let state = self.state.withLock { $0 }
        self.directory.giveBack(state.part, written: state.size)
    }

    /// How many bytes were appended.
    public var count: Int {
        self.state.withLock { Int($0.size) }
    }

    /// Appends bytes.
    ///
    /// - Throws: `.spoolFull` when the file would grow beyond its reservation and the budget, or the disk is full;
    ///   `.diskLow` when it would grow into what has to be free; `.unavailable` when the disk fails.
    public func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        let wanted = Int64(bytes.count)
        let state = self.state.withLock { $0 }
        let missing = state.size + wanted - state.part.bytes
        if missing > 0 {
            var growth = state.part
            growth.bytes = max(missing, Self.step)
            try self.directory.reserve(growth)
            self.state.withLock { $0.part.bytes += growth.bytes }
        }
        try self.write(bytes, at: state.size)
        self.state.withLock { $0.size += wanted }
        self.directory.noteWritten(wanted)
    }

    /// Reads what was appended.
    ///
    /// - Returns: How many bytes were read; fewer than the target holds at the end of the file, or when the disk fails.
    public func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        var done = 0
        while done < target.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[done...])
            let count = pread(self.descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count > 0 { done += count } else if count == 0 || errno != EINTR { break }
        }
        return done
    }

    /// Counts the file against another client's share from now on.
    ///
    /// - Parameters:
    ///   - client: Whose share it is.
    ///   - user: The client's user, in whose part of that it counts; nil for none.
    ///   - bytes: The size to reserve, if it is more than was reserved before.
    /// - Throws: `.spoolFull` when a share has no room, `.diskLow` when what is reserved beside has none on the disk;
    ///   then nothing changes.
    public func give(to client: String, user: String? = nil, reserving bytes: Int) throws(StoreError) {
        let part = self.state.withLock { $0.part }
        let given = SpoolDirectory.Part(bytes: max(part.bytes, Int64(bytes)), client: client, user: user)
        try self.directory.reserve(given, insteadOf: part)
        self.state.withLock { $0.part = given }
    }

    /// Gives back what was reserved and not used: the body is complete.
    public func finish() {
        let unused = self.state.withLock { (state) -> SpoolDirectory.Part in
            var unused = state.part
            unused.bytes -= state.size
            state.part.bytes = state.size
            return unused
        }
        self.directory.giveBack(unused, written: 0)
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at start: Int64) throws(StoreError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(self.descriptor, rest.baseAddress, rest.count, off_t(start) + off_t(done))
            if count > 0 {
                done += count
                continue
            }
            let failure = errno
            guard count < 0 && failure != ENOSPC && failure != EDQUOT else {
                throw StoreError(code: .spoolFull, message: "the disk of the spool is full; free space")
            }
            guard failure == EINTR else {
                throw StoreError(errno: failure, doing: "write to the spool")
            }
        }
    }
}
