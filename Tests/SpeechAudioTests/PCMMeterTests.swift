import SpeechAudio
import Testing

@Suite struct PCMMeterTests {
    private func meter(_ samples: [Int16], piece: Int = .max) -> PCMMeter {
        let bytes = samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        return self.meter(bytes: bytes, piece: piece)
    }

    private func meter(bytes: [UInt8], piece: Int = .max) -> PCMMeter {
        var meter = PCMMeter()
        var rest = bytes[...]
        while !rest.isEmpty {
            Array(rest.prefix(piece)).withUnsafeBytes { meter.measure($0) }
            rest = rest.dropFirst(piece)
        }
        return meter
    }

    private func square(_ amplitude: Int16, windows: Int) -> [Int16] {
        (0..<windows * 160).map { $0 % 2 == 0 ? amplitude : -amplitude }
    }

    @Test func peakReachesTheNegativeExtreme() {
        let meter = self.meter([5, -32_768, 32_767])
        #expect(meter.peak == 32_768)
        #expect(meter.clippedCount == 2)
        #expect(meter.sampleCount == 3)
    }

    @Test func levelOfASquareWaveIsItsAmplitude() {
        let meter = self.meter(self.square(16_384, windows: 3))
        #expect(meter.rootMeanSquare == 16_384)
        #expect(abs(meter.decibels - -6.0206) < 0.0001)
        #expect(!meter.isSilent)
        #expect(!meter.isQuiet)
    }

    @Test func nothingMeasuredIsSilentButNotQuiet() {
        let meter = PCMMeter()
        #expect(meter.decibels == -.infinity)
        #expect(meter.isSilent)
        #expect(!meter.isQuiet)
        #expect(meter.voicedSegments().isEmpty)
    }

    @Test func digitalSilenceIsSilentAndQuiet() {
        let meter = self.meter([Int16](repeating: 0, count: 1_600))
        #expect(meter.isSilent)
        #expect(meter.isQuiet)
        #expect(meter.decibels == -.infinity)
    }

    @Test(arguments: [(Int16(184), true), (Int16(185), false)])
    func quietEndsAtMinus45Decibels(amplitude: Int16, isQuiet: Bool) {
        #expect(self.meter(self.square(amplitude, windows: 2)).isQuiet == isQuiet)
    }

    @Test func aSinglePeakIsNotSilence() {
        var samples = [Int16](repeating: 0, count: 16_000)
        samples[100] = 200
        #expect(!self.meter(samples).isSilent)
        samples[100] = 199
        #expect(self.meter(samples).isSilent)
    }

    @Test func anOddLastByteIsIgnored() {
        #expect(self.meter(bytes: [1, 0, 9]).sampleCount == 1)
        #expect(self.meter(bytes: [9]).sampleCount == 0)
    }

    @Test func squaresOfFullScaleDoNotOverflow() {
        let meter = self.meter([Int16](repeating: .min, count: 1_600))
        #expect(meter.sumOfSquares == 1_600 << 30)
        #expect(meter.rootMeanSquare == 32_768)
    }

    @Test(arguments: [1, 2, 3, 7, 319, 320, 321, 1_000])
    func piecesDoNotMatter(piece: Int) {
        let samples = (0..<4_000).map { Int16(truncatingIfNeeded: $0 &* $0 &* 31) }
        let whole = self.meter(samples)
        let pieces = self.meter(samples, piece: piece)
        #expect(pieces.peak == whole.peak)
        #expect(pieces.sumOfSquares == whole.sumOfSquares)
        #expect(pieces.clippedCount == whole.clippedCount)
        #expect(pieces.sampleCount == 4_000)
        #expect(pieces.windowCount == 25)
        #expect(
            (0..<25).allSatisfy {
                pieces.rootMeanSquare(ofWindows: $0..<$0 + 1) == whole.rootMeanSquare(ofWindows: $0..<$0 + 1)
            }
        )
    }

    @Test func speechIsFoundBetweenSilences() {
        let silence = [Int16](repeating: 0, count: 30 * 160)
        let short = [Int16](repeating: 0, count: 12 * 160)
        let samples =
            silence + self.square(8_000, windows: 40) + short + self.square(4_000, windows: 20)
            + silence + self.square(6_000, windows: 10) + silence
        #expect(self.meter(samples).voicedSegments() == [30..<102, 132..<142])
    }

    @Test func clicksAndHissAreNotSpeech() {
        let silence = [Int16](repeating: 0, count: 30 * 160)
        let samples = silence + self.square(20_000, windows: 4) + silence + self.square(900, windows: 50)
        #expect(self.meter(samples).voicedSegments().isEmpty)
        #expect(self.meter(self.square(29, windows: 50)).voicedSegments().isEmpty)
    }

    @Test func windowsFollowRateAndChannels() {
        var meter = PCMMeter(sampleRate: 8_000, channels: 2)
        [UInt8](repeating: 0, count: 8_000 * 2 * 2).withUnsafeBytes { meter.measure($0) }
        #expect(meter.windowCount == 100)
    }
}
