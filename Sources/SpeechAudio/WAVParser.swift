/// Finds format and samples in a WAV file that arrives piece by piece, with the platforms' tolerances.
///
/// The size in the RIFF header is ignored, unknown chunks are skipped, chunks are padded to even length, and a `data`
/// chunk that claims more than the file holds ends where the file ends (contract yugu, section 11). So does one of size
/// zero, as a writer leaves it that could not go back to fill it in. The parser keeps at most 26 bytes.
public struct WAVParser: Sendable {
    /// How far a file has been understood.
    public enum Progress: Hashable, Sendable {
        /// Everything so far may be the beginning of a WAV file, but no samples have come.
        case header
        /// The first `data` chunk has begun; its bytes so far are counted.
        case samples
        /// The bytes are no WAV file, or one whose samples cannot be found.
        case notWAV
    }

    private enum Step {
        case riff
        case chunkHeader
        case format(size: Int)
        case skip(remaining: Int)
        case data(remaining: Int)
        case ended
        case failed
    }

    private var step = Step.riff
    private var held: [UInt8] = []

    /// The content of the `fmt ` chunk, once it has been read.
    public private(set) var format: SampleFormat?
    /// The bytes of the first `data` chunk that have come.
    public private(set) var dataBytes = 0

    /// A parser at the start of a file.
    public init() {}

    /// How far the file has been understood.
    public var progress: Progress {
        switch self.step {
        case .riff, .chunkHeader, .format, .skip: .header
        case .data, .ended: .samples
        case .failed: .notWAV
        }
    }

    /// The playing time of the samples so far, in seconds; nil when no format was read, or one without a measure of time.
    public var duration: Double? { self.format?.duration(ofDataBytes: self.dataBytes) }

    /// How many bytes ``isWAV(_:)`` needs.
    static let openingSize = 12

    /// Whether a file with these first 12 bytes is a WAV file.
    static func isWAV(_ opening: some Sequence<UInt8>) -> Bool {
        opening.starts(with: "RIFF".utf8) && opening.dropFirst(8).starts(with: "WAVE".utf8)
    }

    /// Takes the next bytes of the file.
    ///
    /// - Parameters:
    ///   - bytes: Any number of bytes.
    ///   - samples: Called with the sample bytes among them, which lie inside `bytes`, and with their format.
    public mutating func parse(
        _ bytes: UnsafeRawBufferPointer,
        samples: (UnsafeRawBufferPointer, SampleFormat) -> Void
    ) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch self.step {
            case .riff:
                guard self.hold(Self.openingSize, from: &rest) else { return }
                self.enter(Self.isWAV(self.held) ? .chunkHeader : .failed)
            case .chunkHeader:
                guard self.hold(8, from: &rest) else { return }
                self.enterChunk()
            case .format(let size):
                // The sub-format of an extensible format ends at byte 26; nothing behind it is of interest.
                let wanted = min(size, 26)
                guard self.hold(wanted, from: &rest) else { return }
                self.format = SampleFormat(chunk: self.held, chunkSize: size)
                self.enter(.skip(remaining: size - wanted + size % 2))
            case .skip(let remaining):
                let count = min(remaining, rest.count)
                rest = rest.dropFirst(count)
                self.step = count == remaining ? .chunkHeader : .skip(remaining: remaining - count)
            case .data(let remaining):
                let count = min(remaining, rest.count)
                self.dataBytes += count
                if let format = self.format {
                    samples(UnsafeRawBufferPointer(rebasing: rest.prefix(count)), format)
                }
                rest = rest.dropFirst(count)
                self.step = count == remaining ? .ended : .data(remaining: remaining - count)
            case .ended, .failed:
                return
            }
        }
    }

    /// Takes the rest of a file by its size alone.
    ///
    /// Samples are counted if they have begun; what begins in there is not found.
    mutating func skip(_ count: Int) {
        guard case .data(let remaining) = self.step else { return }
        self.dataBytes += min(remaining, count)
    }

    private mutating func enterChunk() {
        let size = (4..<8).reversed().reduce(0) { $0 << 8 | Int(self.held[$1]) }
        if self.held.starts(with: "fmt ".utf8), self.format == nil {
            self.enter(size >= 16 ? .format(size: size) : .failed)
        } else if self.held.starts(with: "data".utf8) {
            self.enter(self.format == nil ? .failed : .data(remaining: size == 0 ? .max : size))
        } else {
            self.enter(size == 0 ? .chunkHeader : .skip(remaining: size + size % 2))
        }
    }

    private mutating func enter(_ next: Step) {
        self.held.removeAll(keepingCapacity: true)
        if case .skip(remaining: 0) = next {
            self.step = .chunkHeader
        } else {
            self.step = next
        }
    }

    /// Moves bytes to the held ones until there are `count`; false when more must come first.
    private mutating func hold(_ count: Int, from rest: inout Slice<UnsafeRawBufferPointer>) -> Bool {
        let missing = count - self.held.count
        self.held.append(contentsOf: rest.prefix(missing))
        rest = rest.dropFirst(missing)
        return self.held.count == count
    }
}
