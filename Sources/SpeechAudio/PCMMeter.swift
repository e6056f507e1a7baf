internal import Glibc

/// Measures signed 16-bit little-endian samples that arrive piece by piece, in one pass.
///
/// All channels count together and a trailing odd byte is ignored (contract yugu, section 11). Besides the totals the
/// meter keeps the energy of each window of 10 ms, from which ``voicedSegments()`` finds the stretches of speech.
public struct PCMMeter: Sendable {
    private let samplesPerWindow: Int
    private var oddByte: UInt8?
    private var windowSamples = 0
    private var windowSquares: UInt64 = 0
    private var windows: [UInt32] = []

    /// The number of whole samples so far.
    public private(set) var sampleCount = 0
    /// The largest absolute value so far; 32768 is possible.
    public private(set) var peak = 0
    /// How many samples have one of the two extreme values, as a clipped recording does in runs.
    public private(set) var clippedCount = 0
    /// The sum of the squares of all samples.
    public private(set) var sumOfSquares: UInt64 = 0

    /// A meter without samples.
    ///
    /// - Parameters:
    ///   - sampleRate: In hertz. The default is 16,000.
    ///   - channels: The number of channels. The default is 1.
    public init(sampleRate: Int = 16_000, channels: Int = 1) {
        self.samplesPerWindow = max(1, sampleRate / 100) * max(1, channels)
    }

    /// The root of the mean square of all samples; zero without samples.
    public var rootMeanSquare: Double {
        self.sampleCount == 0 ? 0 : (Double(self.sumOfSquares) / Double(self.sampleCount)).squareRoot()
    }

    /// The level in dB below full scale; minus infinity for digital silence.
    public var decibels: Double { 20 * log10(self.rootMeanSquare / 32_768) }

    /// Whether nothing can be heard: peak below 200 and root mean square below 30.
    public var isSilent: Bool { self.peak < 200 && self.rootMeanSquare < 30 }

    /// Whether the level is below -45 dB, which is judged only when there is at least one sample.
    public var isQuiet: Bool { self.sampleCount > 0 && self.decibels < -45 }

    /// Measures the next bytes.
    ///
    /// - Parameter bytes: Any number; a sample may be split between two calls.
    public mutating func measure(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        if let low = self.oddByte, let high = bytes.first {
            self.oddByte = nil
            offset = 1
            let sample = [low, high]
            sample.withUnsafeBytes { self.measureWhole($0, from: 0, count: 1) }
        }
        let whole = (bytes.count - offset) / 2
        self.measureWhole(bytes, from: offset, count: whole)
        if offset + whole * 2 < bytes.count {
            self.oddByte = bytes[bytes.count - 1]
        }
    }

    private mutating func measureWhole(_ bytes: UnsafeRawBufferPointer, from start: Int, count: Int) {
        var offset = start
        var left = count
        while left > 0 {
            let run = min(left, self.samplesPerWindow - self.windowSamples)
            self.measureRun(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + run * 2]))
            offset += run * 2
            left -= run
        }
    }

    /// Measures samples that belong to one window.
    private mutating func measureRun(_ bytes: UnsafeRawBufferPointer) {
        let count = bytes.count / 2
        var sums = PCMSums(bytes)
        if sums.highest == .max || sums.lowest == .min {
            sums.countClipped(bytes)
        }
        self.sampleCount += count
        self.sumOfSquares &+= sums.squares
        self.peak = max(self.peak, Int(sums.highest), -Int(sums.lowest))
        self.clippedCount += sums.clipped
        self.windowSquares &+= sums.squares
        self.windowSamples += count
        if self.windowSamples == self.samplesPerWindow {
            self.windows.append(UInt32(truncatingIfNeeded: self.windowSquares / UInt64(self.samplesPerWindow)))
            self.windowSquares = 0
            self.windowSamples = 0
        }
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
        // 26 dB is a factor of 400 in the square; 30 is the root mean square of the silence guard.
        let threshold = max(loudest / 400, 30 * 30)
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

/// The sums over a run of samples, eight at a time, as a little-endian machine loads them.
///
/// The compiler makes no vectors of the plain loop, which takes seven times as long.
private struct PCMSums {
    var squares: UInt64
    var highest: Int16
    var lowest: Int16
    var clipped = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        var squares = SIMD4<UInt64>.zero
        var highest = SIMD8<Int16>.zero
        var lowest = SIMD8<Int16>.zero
        let eights = bytes.count / 16
        for index in 0..<eights {
            let samples = bytes.loadUnaligned(fromByteOffset: index &* 16, as: SIMD8<Int16>.self)
            let wide = SIMD8<Int32>(truncatingIfNeeded: samples)
            let products = SIMD8<UInt32>(truncatingIfNeeded: wide &* wide)
            // A square is at most 2^30, so two of them fit before the sum is widened.
            squares &+= SIMD4<UInt64>(truncatingIfNeeded: products.lowHalf &+ products.highHalf)
            highest.replace(with: samples, where: samples .> highest)
            lowest.replace(with: samples, where: samples .< lowest)
        }
        self.squares = squares.wrappedSum()
        self.highest = highest.max()
        self.lowest = lowest.min()
        for index in eights * 8..<bytes.count / 2 {
            let sample = bytes.loadUnaligned(fromByteOffset: index &* 2, as: Int16.self)
            self.squares &+= UInt64(UInt32(bitPattern: Int32(sample) &* Int32(sample)))
            self.highest = max(self.highest, sample)
            self.lowest = min(self.lowest, sample)
        }
    }

    mutating func countClipped(_ bytes: UnsafeRawBufferPointer) {
        for index in 0..<bytes.count / 2 {
            let sample = bytes.loadUnaligned(fromByteOffset: index &* 2, as: Int16.self)
            if sample == .max || sample == .min { self.clipped += 1 }
        }
    }
}
