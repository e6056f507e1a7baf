/// Measures the course of signed 16-bit little-endian samples that arrive piece by piece, in one pass.
///
/// Besides the ``level`` of the whole the meter keeps the energy of each window of 10 ms, from which
/// ``voicedSegments()`` finds the stretches of speech.
public struct PCMMeter: Sendable {
    private let windowSize: Int
    private var windowBytes = 0
    private var windowStart: UInt64 = 0
    private var windows: [UInt32] = []

    /// The level of all samples so far.
    public private(set) var level = PCMLevel()

    /// A meter without samples.
    ///
    /// - Parameters:
    ///   - sampleRate: In hertz. The default is 16,000.
    ///   - channels: The number of channels. The default is 1.
    public init(sampleRate: Int = 16_000, channels: Int = 1) {
        self.windowSize = max(1, sampleRate / 100) * max(1, channels) * 2
    }

    /// Measures the next bytes.
    ///
    /// - Parameter bytes: Any number; a sample may be split between two calls.
    public mutating func measure(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let run = rest.prefix(self.windowSize - self.windowBytes)
            rest = rest.dropFirst(run.count)
            self.level.measure(UnsafeRawBufferPointer(rebasing: run))
            self.windowBytes += run.count
            if self.windowBytes == self.windowSize {
                self.endWindow()
            }
        }
    }

    private mutating func endWindow() {
        let squares = self.level.sumOfSquares &- self.windowStart
        self.windows.append(UInt32(truncatingIfNeeded: squares / UInt64(self.windowSize / 2)))
        self.windowStart = self.level.sumOfSquares
        self.windowBytes = 0
    }

    /// The number of complete windows of 10 ms.
    public var windowCount: Int { self.windows.count }

    /// The root mean square of complete windows.
    ///
    /// - Parameter range: Windows of 10 ms; those that do not exist are left out.
    /// - Returns: Zero for no window.
    public func rootMeanSquare(ofWindows range: Range<Int>) -> Double {
        let range = range.clamped(to: 0..<self.windows.count)
        guard !range.isEmpty else { return 0 }
        let sum = self.windows[range].reduce(into: UInt64(0)) { $0 += UInt64($1) }
        return (Double(sum) / Double(range.count)).squareRoot()
    }

    /// The stretches in which something is spoken, in windows of 10 ms, in order.
    ///
    /// A window is voiced when its level is within 26 dB of the loudest one and above the platforms' silence guard.
    /// Gaps of at most 120 ms are bridged, and what is then shorter than 50 ms is dropped as a click.
    public func voicedSegments() -> [Range<Int>] {
        guard let loudest = self.windows.max() else { return [] }
        // 26 dB is a factor of 400 in the square.
        let guarding = UInt32(PCMLevel.silentRootMeanSquare * PCMLevel.silentRootMeanSquare)
        let threshold = max(loudest / 400, guarding)
        var segments: [Range<Int>] = []
        for (index, square) in self.windows.enumerated() where square >= threshold {
            if let last = segments.last, index - last.upperBound <= 12 {
                segments[segments.count - 1] = last.lowerBound..<index + 1
            } else {
                segments.append(index..<index + 1)
            }
        }
        return segments.filter { $0.count >= 5 }
    }
}
