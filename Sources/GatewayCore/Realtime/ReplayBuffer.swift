internal import Glibc
internal import HTTPWire
internal import Store

/// The audio of a round as long as another connection may need it: the last bytes in memory, those before in a file.
struct ReplayBuffer {
    /// Kept in memory; what is more goes to the file at once.
    private static let memory = 16 << 10

    private let storage: BodyStorage
    private let client: String
    private var file: SpoolFile?
    private var fileCount = 0
    private var tail: [UInt8] = []

    /// An empty buffer.
    ///
    /// - Parameter client: Whose share of the spool it takes.
    init(storage: BodyStorage, client: String) {
        self.storage = storage
        self.client = client
    }

    /// The number of bytes.
    var count: Int { self.fileCount + self.tail.count }

    /// Takes the next bytes.
    ///
    /// - Throws: When the spool has no room; what was kept is still there, and this is not.
    mutating func append(_ bytes: [UInt8]) throws(GatewayError) {
        if self.tail.count + bytes.count > Self.memory, !self.tail.isEmpty {
            let file: SpoolFile
            if let known = self.file {
                file = known
            } else {
                file = try self.storage.makeFile(reserving: 0, for: BodyOwner(client: self.client))
                self.file = file
            }
            do {
                try self.tail.withUnsafeBytes { try file.append($0) }
            } catch {
                throw .spoolFull
            }
            self.fileCount += self.tail.count
            self.tail.removeAll(keepingCapacity: true)
        }
        self.tail.append(contentsOf: bytes)
    }

    /// A stretch of what was kept; nil when the disk fails.
    func read(_ range: Range<Int>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        let inFile = range.clamped(to: 0..<self.fileCount)
        if !inFile.isEmpty {
            guard let file, let part = Self.read(inFile, of: file.descriptor) else { return nil }
            bytes = part
        }
        let inTail = range.clamped(to: self.fileCount..<self.count)
        bytes += self.tail[(inTail.lowerBound - self.fileCount)..<(inTail.upperBound - self.fileCount)]
        return bytes
    }

    /// Lets go of everything.
    mutating func removeAll() {
        self.file = nil
        self.fileCount = 0
        self.tail = []
    }

    private static func read(_ range: Range<Int>, of descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: range.count)
        var done = 0
        while done < range.count {
            let count = bytes.withUnsafeMutableBytes { bytes in
                let position = off_t(range.lowerBound + done)
                return pread(descriptor, bytes.baseAddress.map { $0 + done }, range.count - done, position)
            }
            guard count > 0 || count < 0 && errno == EINTR else { return nil }
            done += max(0, count)
        }
        return bytes
    }
}
