private import Glibc

/// What `check` can see of a state directory without touching it.
struct StateDirectoryState: Sendable {
    /// The finding in a few words.
    let description: String
    /// Why `serve` could not use it, or nil.
    let fault: String?

    /// Looks at a directory.
    init(of path: String) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                self.description = "no directory"
                self.fault = "\(path) is no directory"
                return
            }
            self.description = "there"
            self.fault = Self.isWritable(path) ? nil : "\(path) cannot be written to by this user"
            return
        }
        guard errno == ENOENT else {
            self.description = "cannot be used"
            self.fault = "cannot use \(path): \(String(cString: strerror(errno)))"
            return
        }
        var parent = path
        repeat {
            parent = parent.lastIndex(of: "/").map { String(parent[..<$0]) } ?? "."
            if parent.isEmpty { parent = "/" }
        } while access(parent, F_OK) != 0 && parent != "/" && parent != "."
        self.description = "will be made"
        self.fault = Self.isWritable(parent) ? nil : "\(path) is missing and cannot be made in \(parent) by this user"
    }

    private static func isWritable(_ path: String) -> Bool {
        access(path, W_OK | X_OK) == 0
    }
}
