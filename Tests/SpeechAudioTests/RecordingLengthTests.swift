import SpeechAudio
import Testing

/// What recordings count as; each length is worked out by hand.
@Suite struct RecordingLengthTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var input = AudioPrecheck.Input.upload
        var milliseconds: Int64?

        init(_ description: String, _ bytes: [UInt8], as input: AudioPrecheck.Input = .upload, _ milliseconds: Int64?) {
            self.testDescription = description
            self.bytes = bytes
            self.input = input
            self.milliseconds = milliseconds
        }
    }

    /// A second of the advised format, behind a header that says something else: 32,044 bytes, which count as 1002 ms at
    /// 32,000 bytes a second.
    private static func second(_ format: [UInt8]) -> [UInt8] {
        TestWAV.file([UInt8](repeating: 1, count: 32_000), format: format)
    }

    private static let headerless = AudioPrecheck.Input.headerlessUpload(.advised)

    static let cases: [Case] = [
        Case("the advised format", Self.second(TestWAV.format()), 1000),
        Case("a begun millisecond", TestWAV.file([UInt8](repeating: 1, count: 32_002)), 1001),
        Case("a data size that was never filled in", TestWAV.file([UInt8](repeating: 1, count: 32_000), size: 0), 1000),
        Case("a data size beyond the file", TestWAV.file([UInt8](repeating: 1, count: 32_000), size: .max), 1000),
        Case("stereo of 44.1 kHz", Self.second(TestWAV.format(channels: 2, sampleRate: 44_100)), 182),
        Case("a telephone", Self.second(TestWAV.format(sampleRate: 8_000, bits: 8)), 4000),
        Case("4 GHz", Self.second(TestWAV.format(sampleRate: 4_000_000_000)), 1002),
        Case("no rate", Self.second(TestWAV.format(sampleRate: 0)), 1002),
        Case("no channel", Self.second(TestWAV.format(channels: 0)), 1002),
        Case("65,535 channels", Self.second(TestWAV.format(channels: .max)), 1002),
        Case("samples of 65,535 bits", Self.second(TestWAV.format(bits: .max)), 1002),
        // 32,060 bytes at 384,000 bytes a second.
        Case("a studio", Self.second(TestWAV.format(channels: 8, sampleRate: 192_000, bits: 32)), 84),
        // 384,048 bytes.
        Case(
            "the recording behind a small first data chunk",
            TestWAV.file([1, 0, 1, 0]) + TestWAV.chunk("data", [UInt8](repeating: 1, count: 383_992)),
            1001
        ),
        Case("another format", Array("OggS".utf8) + [UInt8](repeating: 0, count: 100), nil),
        Case("a WAV file without samples", TestWAV.riff + TestWAV.chunk("fmt ", TestWAV.format()), nil),
        Case("samples of a stated format", [UInt8](repeating: 1, count: 16_000), as: Self.headerless, 500),
        Case("a WAV file in spite of a stated format", Self.second(TestWAV.format()), as: Self.headerless, 1000),
    ]

    @Test(arguments: Self.cases)
    func countsTheSameInAllWays(_ example: Case) {
        // In full, from its beginning, and by the precheck.
        example.bytes.withUnsafeBytes { bytes in
            let whole = RecordingLength(example.input, opening: bytes, fileBytes: bytes.count)
            #expect(whole?.milliseconds == example.milliseconds)
            guard bytes.count > 64 else { return }
            let opening = UnsafeRawBufferPointer(rebasing: bytes[..<64])
            let begun = RecordingLength(example.input, opening: opening, fileBytes: bytes.count)
            #expect(begun?.milliseconds == example.milliseconds)
        }
        let verdict = AudioPrecheck.verdict(on: example.bytes, as: example.input)
        #expect(verdict.length?.milliseconds == example.milliseconds)
    }
}
