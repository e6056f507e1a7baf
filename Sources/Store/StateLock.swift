private import Glibc
private import Locking

/// The exclusive hold of a state directory: one process, one store.
///
/// The kernel lets go of it when the process ends, however it ends; the file stays.
final class StateLock: Sendable {
    private let descriptor: Locked<Int32?>

    /// - Throws: `.locked` with the other's process id; `.unavailable` when the file cannot be made.
    init(directory: String) throws(StoreError) {
        let path = directory + "/lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreError(errno: errno, doing: "open \(path)")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let failure = errno
            let holder = Self.holder(of: descriptor)
            close(descriptor)
            guard failure == EWOULDBLOCK else {
                throw StoreError(errno: failure, doing: "lock \(path)")
            }
            let pid = holder.map { " (pid \($0))" } ?? ""
            throw StoreError(
                code: .locked,
                message: """
                    another speechgate\(pid) uses this state directory \(directory); \
                    stop it or set another stateDirectory
                    """
            )
        }
        // Only for the message above; the lock is the kernel's.
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
        self.descriptor = Locked(descriptor)
    }

    deinit {
        self.release()
    }

    /// Lets the next one in.
    func release() {
        let descriptor = self.descriptor.withLock { $0.take() }
        if let descriptor {
            // Closing alone does not do it while a child that is being started holds a copy of the descriptor.
            _ = flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    private static func holder(of descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else {
            return nil
        }
        return Int32(String(decoding: buffer.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self))
    }
}

extension StoreError {
    /// A system call's refusal.
    init(errno code: Int32, doing: String) {
        self.init(
            code: .unavailable,
            message: "the store cannot \(doing): \(String(cString: strerror(code))) (errno \(code))"
        )
    }
}

/// The state directory itself.
enum StateDirectory {
    /// Makes the directory with mode 0700, and what is missing above it.
    static func create(_ path: String) throws(StoreError) {
        guard mkdir(path, 0o700) != 0 else {
            return
        }
        var failure = errno
        if failure == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try Self.create(String(path[..<slash]))
            guard mkdir(path, 0o700) != 0 else {
                return
            }
            failure = errno
        }
        guard failure == EEXIST, Self.isDirectory(path) else {
            throw StoreError(errno: failure == EEXIST ? ENOTDIR : failure, doing: "create the directory \(path)")
        }
    }

    /// Makes an empty file that only the owner reads, unless it exists; SQLite would use the process's mask.
    static func createPrivateFile(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreError(errno: errno, doing: "open \(path)")
        }
        close(descriptor)
    }

    private static func isDirectory(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }
}
