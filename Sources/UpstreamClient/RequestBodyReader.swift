internal import Glibc
internal import HTTPWire

/// Copies the bytes of a request body in order, a buffer full at a time; what could not be sent is copied again.
struct RequestBodyReader {
    /// The number of bytes in all.
    let count: Int

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
    func copy(into memory: UnsafeMutableRawBufferPointer) -> Int? {
        var filled = 0
        var (index, offset) = (self.index, self.offset)
        while filled < memory.count, index < self.segments.count {
            let segment = self.segments[index]
            let wanted = min(memory.count - filled, segment.count - offset)
            let target = UnsafeMutableRawBufferPointer(rebasing: memory[filled..<(filled + wanted)])
            switch segment {
            case .bytes(let bytes, let range):
                bytes.withUnsafeBytes { bytes in
                    let start = range.lowerBound + offset
                    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + wanted)]))
                }
            case .file(let file, let range):
                guard self.fill(target, from: file.descriptor, at: range.lowerBound + offset) else { return nil }
            }
            filled += wanted
            (index, offset) = (index + 1, 0)
        }
        return filled
    }

    /// Goes on behind so many bytes.
    mutating func advance(_ count: Int) {
        var left = count
        while left > 0, self.index < self.segments.count {
            let rest = self.segments[self.index].count - self.offset
            guard left >= rest else {
                self.offset += left
                return
            }
            left -= rest
            self.index += 1
            self.offset = 0
        }
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
