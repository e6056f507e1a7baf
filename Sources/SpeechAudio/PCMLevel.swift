internal import Glibc

/// Peak and level of signed 16-bit little-endian samples that arrive piece by piece, in one pass.
///
/// All channels count together and a trailing odd byte is ignored (contract yugu, section 11).
public struct PCMLevel: Sendable {
    /// Samples that all stay below this absolute value may be silence.
    public static let silentPeak = 200
    /// Samples with a root mean square below this one may be silence.
    public static let silentRootMeanSquare = 30.0
    /// What is below this level, in dB below full scale, is quiet.
    public static let quietDecibels = -45.0

    private var oddByte: UInt8?

    /// The number of whole samples so far.
    public private(set) var sampleCount = 0
    /// The largest absolute value so far; 32768 is possible.
    public private(set) var peak = 0
    /// How many samples have one of the two extreme values, as a clipped recording does in runs.
    public private(set) var clippedCount = 0
    /// The sum of the squares of all samples.
    public private(set) var sumOfSquares: UInt64 = 0

    /// The level of no sample.
    public init() {}

    /// The root of the mean square of all samples; zero without samples.
    public var rootMeanSquare: Double {
        self.sampleCount == 0 ? 0 : (Double(self.sumOfSquares) / Double(self.sampleCount)).squareRoot()
    }

    /// The level in dB below full scale; minus infinity for digital silence.
    public var decibels: Double { 20 * log10(self.rootMeanSquare / 32_768) }

    /// Whether nothing can be heard: peak below 200 and root mean square below 30.
    public var isSilent: Bool { self.peak < Self.silentPeak && self.rootMeanSquare < Self.silentRootMeanSquare }

    /// Whether the level is below -45 dB, which is judged only when there is at least one sample.
    public var isQuiet: Bool { self.sampleCount > 0 && self.decibels < Self.quietDecibels }

    /// Measures the next bytes.
    ///
    /// - Parameter bytes: Any number; a sample may be split between two calls.
    public mutating func measure(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        if let low = self.oddByte, let high = rest.popFirst() {
            self.oddByte = nil
            withUnsafeBytes(of: (low, high)) { self.add(PCMSums($0)) }
        }
        while rest.count >= 2 {
            let run = rest.prefix(min(rest.count & ~1, PCMSums.maximumSize))
            self.add(PCMSums(UnsafeRawBufferPointer(rebasing: run)))
            rest = rest.dropFirst(run.count)
        }
        if let low = rest.first {
            self.oddByte = low
        }
    }

    private mutating func add(_ sums: PCMSums) {
        self.sampleCount += sums.count
        self.sumOfSquares &+= sums.squares
        self.peak = max(self.peak, Int(sums.highest), -Int(sums.lowest))
        self.clippedCount += sums.clipped
    }
}

/// The sums over a run of whole samples, eight at a time, as a little-endian machine loads them.
///
/// The compiler makes no vectors of the plain loop, which takes several times as long.
private struct PCMSums {
    /// The largest run, in bytes: a lane counts to 65,535.
    static let maximumSize = 1 << 16

    let count: Int
    var squares: UInt64
    var highest: Int16
    var lowest: Int16
    var clipped: Int

    init(_ bytes: UnsafeRawBufferPointer) {
        var squares = SIMD4<UInt64>.zero
        var highest = SIMD8<Int16>.zero
        var lowest = SIMD8<Int16>.zero
        var clipped = SIMD8<UInt16>.zero
        // Of a comparison with a scalar the compiler makes no vector instruction.
        let largest = SIMD8<Int16>(repeating: .max)
        let smallest = SIMD8<Int16>(repeating: .min)
        let eights = bytes.count / 16
        for index in 0..<eights {
            let samples = bytes.loadUnaligned(fromByteOffset: index &* 16, as: SIMD8<Int16>.self)
            let wide = SIMD8<Int32>(truncatingIfNeeded: samples)
            let products = SIMD8<UInt32>(truncatingIfNeeded: wide &* wide)
            // A square is at most 2^30, so two of them fit before the sum is widened.
            squares &+= SIMD4<UInt64>(truncatingIfNeeded: products.lowHalf &+ products.highHalf)
            highest.replace(with: samples, where: samples .> highest)
            lowest.replace(with: samples, where: samples .< lowest)
            clipped.replace(with: clipped &+ 1, where: (samples .== largest) .| (samples .== smallest))
        }
        self.count = bytes.count / 2
        self.squares = squares.wrappedSum()
        self.highest = highest.max()
        self.lowest = lowest.min()
        self.clipped = Int(SIMD8<UInt32>(truncatingIfNeeded: clipped).wrappedSum())
        for index in eights * 8..<self.count {
            let sample = bytes.loadUnaligned(fromByteOffset: index &* 2, as: Int16.self)
            self.squares &+= UInt64(UInt32(bitPattern: Int32(sample) &* Int32(sample)))
            self.highest = max(self.highest, sample)
            self.lowest = min(self.lowest, sample)
            self.clipped += sample == .max || sample == .min ? 1 : 0
        }
    }
}
