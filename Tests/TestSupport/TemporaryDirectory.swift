public import Glibc

/// A directory that goes with its last reference.
public final class TemporaryDirectory: Sendable {
    /// Its path.
    public let path: String

    /// Makes an empty one.
    public init(in parent: String = "/tmp") throws {
        var template = Array("\(parent)/speechgate-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw SystemCallFailed(name: "mkdtemp", code: errno)
        }
        self.path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        Self.remove(self.path)
    }

    /// What the system did not do.
    public struct SystemCallFailed: Error {
        let name: String
        let code: Int32
    }

    /// The names of what lies in it.
    public var names: [String] {
        Self.names(in: self.path)
    }

    /// The bytes of a file.
    public func contents(of name: String) throws -> [UInt8] {
        let descriptor = open("\(self.path)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw SystemCallFailed(name: "open", code: errno)
        }
        defer {
            close(descriptor)
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else {
                return bytes
            }
            bytes += buffer[..<count]
        }
    }

    /// The size of a file in bytes.
    public func size(of name: String) throws -> Int {
        Int(try self.status(of: name).st_size)
    }

    /// The permission bits of a file.
    public func mode(of name: String) throws -> mode_t {
        try self.status(of: name).st_mode & 0o777
    }

    private func status(of name: String) throws -> stat {
        var status = stat()
        guard stat("\(self.path)/\(name)", &status) == 0 else {
            throw SystemCallFailed(name: "stat", code: errno)
        }
        return status
    }

    /// Makes a file, or makes one anew.
    public func write(_ bytes: [UInt8], to name: String) throws {
        let descriptor = open("\(self.path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SystemCallFailed(name: "open", code: errno)
        }
        defer {
            close(descriptor)
        }
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else {
                throw SystemCallFailed(name: "write", code: errno)
            }
            done += count
        }
    }

    /// The names of what lies in a directory, in order.
    public static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else {
            return []
        }
        defer {
            closedir(directory)
        }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." {
                names.append(name)
            }
        }
        return names.sorted()
    }

    private static func remove(_ path: String) {
        for name in Self.names(in: path) {
            let child = "\(path)/\(name)"
            if unlink(child) != 0 {
                Self.remove(child)
            }
        }
        rmdir(path)
    }
}
