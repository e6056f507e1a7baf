import SpeechAudio
import Testing

@Suite struct PCMMeterTests {
    private func meter(_ samples: [Int16], piece: Int = .max) -> PCMMeter {
        var meter = PCMMeter()
        var rest = samples.littleEndianBytes[...]
        while !rest.isEmpty {
            Array(rest.prefix(piece)).withUnsafeBytes { meter.measure($0) }
            rest = rest.dropFirst(piece)
        }
        return meter
    }

    private func square(_ amplitude: Int16, windows: Int) -> [Int16] {
        (0..<windows * 160).map { $0 % 2 == 0 ? amplitude : -amplitude }
    }

    @Test func nothingMeasuredHasNoSpeech() {
        #expect(PCMMeter().voicedSegments().isEmpty)
    }

    @Test(arguments: [1, 2, 3, 7, 319, 320, 321, 1_000])
    func piecesDoNotMatter(piece: Int) {
        let samples = (0..<4_000).map { Int16(truncatingIfNeeded: $0 &* $0 &* 31) }
        let whole = self.meter(samples)
        let pieces = self.meter(samples, piece: piece)
        #expect(pieces.level.sumOfSquares == whole.level.sumOfSquares)
        #expect(pieces.level.sampleCount == 4_000)
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
