private import Glibc

/// A whole small file.
struct FileContents: Sendable {
    /// The content.
    let bytes: [UInt8]
    /// Whether any user of the machine may read it.
    let isWorldReadable: Bool

    /// Reads a regular file, or whatever else can be read to an end, such as a pipe.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - maximum: The largest size in bytes.
    /// - Throws: ``FileError``.
    static func read(_ path: String, maximum: Int) throws(FileError) -> FileContents {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: path, number: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileError(path: path, number: errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw FileError(path: path, number: EISDIR) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw FileError(path: path, number: errno)
            }
            if count == 0 { break }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= maximum else { throw FileError(path: path, number: EFBIG) }
        }
        return FileContents(bytes: bytes, isWorldReadable: status.st_mode & S_IROTH != 0)
    }
}

/// A file that could not be used.
struct FileError: Error, Hashable, Sendable {
    /// The path.
    let path: String
    /// The system's error number.
    let number: Int32

    /// The system's words for it.
    var reason: String {
        String(cString: strerror(self.number))
    }

    /// Whether the file is not there.
    var isMissing: Bool { self.number == ENOENT || self.number == ENOTDIR }
}
