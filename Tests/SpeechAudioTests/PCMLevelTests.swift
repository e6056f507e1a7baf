import SpeechAudio
import TestSupport
import Testing

@Suite struct PCMLevelTests {
    private func level(_ samples: [Int16]) -> PCMLevel { self.level(bytes: samples.littleEndianBytes) }

    private func level(bytes: [UInt8]) -> PCMLevel {
        var level = PCMLevel()
        bytes.withUnsafeBytes { level.measure($0) }
        return level
    }

    private func square(_ amplitude: Int16) -> [Int16] { (0..<320).map { $0 % 2 == 0 ? amplitude : -amplitude } }

    @Test func peakReachesTheNegativeExtreme() {
        let level = self.level([5, -32_768, 32_767])
        #expect(level.peak == 32_768)
        #expect(level.clippedCount == 2)
        #expect(level.sampleCount == 3)
    }

    @Test func levelOfASquareWaveIsItsAmplitude() {
        let level = self.level(self.square(16_384))
        #expect(level.rootMeanSquare == 16_384)
        #expect(abs(level.decibels - -6.0206) < 0.0001)
        #expect(!level.isSilent)
        #expect(!level.isQuiet)
    }

    @Test func nothingMeasuredIsSilentButNotQuiet() {
        let level = PCMLevel()
        #expect(level.decibels == -.infinity)
        #expect(level.isSilent)
        #expect(!level.isQuiet)
    }

    @Test func digitalSilenceIsSilentAndQuiet() {
        let level = self.level([Int16](repeating: 0, count: 1_600))
        #expect(level.isSilent)
        #expect(level.isQuiet)
        #expect(level.decibels == -.infinity)
    }

    @Test(arguments: [(Int16(184), true), (Int16(185), false)])
    func quietEndsAtMinus45Decibels(amplitude: Int16, isQuiet: Bool) {
        #expect(self.level(self.square(amplitude)).isQuiet == isQuiet)
    }

    @Test func aSinglePeakIsNotSilence() {
        var samples = [Int16](repeating: 0, count: 16_000)
        samples[100] = 200
        #expect(!self.level(samples).isSilent)
        samples[100] = 199
        #expect(self.level(samples).isSilent)
    }

    @Test func anOddLastByteIsIgnored() {
        #expect(self.level(bytes: [1, 0, 9]).sampleCount == 1)
        #expect(self.level(bytes: [9]).sampleCount == 0)
    }

    @Test func squaresOfFullScaleDoNotOverflow() {
        let level = self.level([Int16](repeating: .min, count: 1_600))
        #expect(level.sumOfSquares == 1_600 << 30)
        #expect(level.rootMeanSquare == 32_768)
    }

    /// More samples than a run of the vectors takes, all of them extreme, with an odd byte behind.
    @Test func longRunsAreCountedToTheLast() {
        let level = self.level(bytes: [Int16](repeating: .max, count: 700_001).littleEndianBytes + [1])
        #expect(level.sampleCount == 700_001)
        #expect(level.clippedCount == 700_001)
        #expect(level.sumOfSquares == 700_001 * 32_767 * 32_767)
    }

    /// What a level says, comparably.
    private struct Facts: Equatable {
        var sampleCount: Int
        var peak: Int
        var clippedCount: Int
        var sumOfSquares: UInt64
    }

    @Test func cutsDoNotMatter() {
        let samples = (0..<999).map { Int16(truncatingIfNeeded: $0 &* $0 &* 31) } + [.max, .min]
        let expected = Facts(
            sampleCount: samples.count,
            peak: 32_768,
            clippedCount: samples.count { $0 == .max || $0 == .min },
            sumOfSquares: samples.reduce(0) { $0 + UInt64(Int($1) * Int($1)) }
        )
        let differences = ParserVerifier.differences(of: samples.littleEndianBytes + [7], expected: expected) { feed in
            var level = PCMLevel()
            try? feed { level.measure($0) }
            return Facts(
                sampleCount: level.sampleCount,
                peak: level.peak,
                clippedCount: level.clippedCount,
                sumOfSquares: level.sumOfSquares
            )
        }
        #expect(differences.isEmpty, "\(differences)")
    }
}
