internal import Glibc
internal import HTTPWire

/// Hands out the bytes of a request body in order: the only copy is the one into libcurl's upload buffer.
struct RequestBodyReader {
    /// The number of bytes in all.
    let count: Int
    /// The number of bytes handed out.
    private(set) var handed = 0

    private let segments: [HTTPBodySegment]
    private var index = 0
    private var offset = 0

    /// Begins at the first byte.
    init(_ segments: [HTTPBodySegment]) {
        self.segments = segments
        self.count = segments.reduce(0) { $0 + $1.count }
    }

    /// Whether the ranges lie within their arrays.
    var isValid: Bool {
        self.segments.allSatisfy { segment in
            switch segment {
            case .bytes(let bytes, let range): range.lowerBound >= 0 && range.upperBound <= bytes.count
            case .file(_, let range): range.lowerBound >= 0
            }
        }
    }

    /// Fills as much of the memory as there are bytes left; the number of bytes, or nil when a file could not be read
    /// to the end of its range.
    mutating func read(into memory: UnsafeMutableRawBufferPointer) -> Int? {
        var filled = 0
        while filled < memory.count, self.index < self.segments.count {
            let segment = self.segments[self.index]
            let wanted = min(memory.count - filled, segment.count - self.offset)
            guard wanted > 0 else {
                self.index += 1
                self.offset = 0
                continue
            }
            let target = UnsafeMutableRawBufferPointer(rebasing: memory[filled..<(filled + wanted)])
            switch segment {
            case .bytes(let bytes, let range):
                bytes.withUnsafeBytes { bytes in
                    let start = range.lowerBound + self.offset
                    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + wanted)]))
                }
            case .file(let file, let range):
                guard self.fill(target, from: file.descriptor, at: range.lowerBound + self.offset) else { return nil }
            }
            filled += wanted
            self.offset += wanted
        }
        self.handed += filled
        return filled
    }

    private func fill(_ target: UnsafeMutableRawBufferPointer, from descriptor: Int32, at position: Int) -> Bool {
        var done = 0
        while done < target.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[done...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(position + done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }
}
