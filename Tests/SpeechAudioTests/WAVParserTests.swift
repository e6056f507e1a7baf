import SpeechAudio
import TestSupport
import Testing

@Suite struct WAVParserTests {
    /// What a parser says after a file; samples are collected in the order of the calls.
    private struct Outcome: Equatable {
        var progress: WAVParser.Progress
        var format: SampleFormat?
        var samples: [UInt8]
        var dataBytes: Int
    }

    private func parse(_ feed: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) -> Outcome {
        var parser = WAVParser()
        var samples: [UInt8] = []
        try? feed { piece in parser.parse(piece) { bytes, _ in samples.append(contentsOf: bytes) } }
        return Outcome(
            progress: parser.progress,
            format: parser.format,
            samples: samples,
            dataBytes: parser.dataBytes
        )
    }

    private static let sound: [UInt8] = [1, 0, 2, 0, 3, 0]

    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var progress = WAVParser.Progress.samples
        var format: SampleFormat? = .advised
        var samples: [UInt8] = WAVParserTests.sound
    }

    static let cases: [Case] = [
        Case(
            testDescription: "a RIFF size of zero is ignored",
            bytes: TestWAV.file(Self.sound)
        ),
        Case(
            testDescription: "unknown chunks of odd length are skipped with their padding",
            bytes: TestWAV.riff + TestWAV.chunk("LIST", [1, 2, 3, 0], size: 3) + TestWAV.chunk("fmt ", TestWAV.format())
                + TestWAV.chunk("fact", [9, 0], size: 1) + TestWAV.chunk("data", Self.sound)
        ),
        Case(
            testDescription: "a streamed data size is clamped to what is there",
            bytes: TestWAV.file(Self.sound, size: .max)
        ),
        Case(
            testDescription: "a data size that was never filled in is that of what is there",
            bytes: TestWAV.file(Self.sound, size: 0)
        ),
        Case(
            testDescription: "the first data chunk counts",
            bytes: TestWAV.file(Self.sound) + TestWAV.chunk("data", [9, 9])
        ),
        Case(
            testDescription: "an empty data chunk is found",
            bytes: TestWAV.file([]),
            samples: []
        ),
        Case(
            testDescription: "an extensible format with an integer sub-format is integer PCM",
            bytes: TestWAV.file(Self.sound, format: TestWAV.format(subFormat: 1))
        ),
        Case(
            testDescription: "an extensible format with a float sub-format is not",
            bytes: TestWAV.file(Self.sound, format: TestWAV.format(subFormat: 3)),
            format: SampleFormat(isIntegerPCM: false, channels: 1, sampleRate: 16_000, bitsPerSample: 16)
        ),
        Case(
            testDescription: "an extensible format too short for a sub-format is not integer PCM",
            bytes: TestWAV.file(Self.sound, format: TestWAV.format(tag: 0xFFFE) + [0, 0]),
            format: SampleFormat(isIntegerPCM: false, channels: 1, sampleRate: 16_000, bitsPerSample: 16)
        ),
        Case(
            testDescription: "data before the format is not understood",
            bytes: TestWAV.riff + TestWAV.chunk("data", Self.sound) + TestWAV.chunk("fmt ", TestWAV.format()),
            progress: .notWAV,
            format: nil,
            samples: []
        ),
        Case(
            testDescription: "a format of under 16 bytes is not understood",
            bytes: TestWAV.file(Self.sound, format: Array(TestWAV.format().prefix(14))),
            progress: .notWAV,
            format: nil,
            samples: []
        ),
        Case(
            testDescription: "an MP3 file is no WAV file",
            bytes: Array("ID3 and more than twelve bytes".utf8),
            progress: .notWAV,
            format: nil,
            samples: []
        ),
        Case(
            testDescription: "another RIFF file is no WAV file",
            bytes: Array("RIFF".utf8) + [0, 0, 0, 0] + Array("AVI LIST".utf8),
            progress: .notWAV,
            format: nil,
            samples: []
        ),
        Case(
            testDescription: "a file that ends within its format has no samples",
            bytes: TestWAV.riff + TestWAV.chunk("fmt ", Array(TestWAV.format().prefix(9)), size: 16),
            progress: .header,
            format: nil,
            samples: []
        ),
        Case(testDescription: "no byte is no file", bytes: [], progress: .header, format: nil, samples: []),
    ]

    @Test(arguments: Self.cases) func toleratesWhatThePlatformTolerates(_ example: Case) {
        let expected = Outcome(
            progress: example.progress,
            format: example.format,
            samples: example.samples,
            dataBytes: example.samples.count
        )
        let differences = ParserVerifier.differences(of: example.bytes, expected: expected, run: self.parse)
        #expect(differences.isEmpty, "\(differences)")
    }

    struct Span: Sendable {
        var format: SampleFormat
        var bytes: Int
        var seconds: Double?
    }

    static let spans: [Span] = [
        Span(format: .advised, bytes: 32_000, seconds: 1),
        Span(format: .advised, bytes: 31_999, seconds: 15_999.0 / 16_000),
        Span(
            format: SampleFormat(isIntegerPCM: true, channels: 2, sampleRate: 44_100, bitsPerSample: 16),
            bytes: 44_100 * 4 * 3,
            seconds: 3
        ),
        // Fewer than eight bits still take a byte.
        Span(
            format: SampleFormat(isIntegerPCM: true, channels: 1, sampleRate: 8_000, bitsPerSample: 4),
            bytes: 8_000,
            seconds: 1
        ),
        Span(
            format: SampleFormat(isIntegerPCM: true, channels: 0, sampleRate: 16_000, bitsPerSample: 16),
            bytes: 100,
            seconds: nil
        ),
        Span(
            format: SampleFormat(isIntegerPCM: true, channels: 1, sampleRate: 0, bitsPerSample: 16),
            bytes: 100,
            seconds: nil
        ),
    ]

    @Test(arguments: Self.spans) func durationCountsWholeFrames(_ span: Span) {
        #expect(span.format.duration(ofDataBytes: span.bytes) == span.seconds)
    }

    @Test func encoderWritesTheAdvisedFormat() {
        let file = WAVEncoder.file(samples: [1, -2, 300])
        #expect(file.count == 50)
        #expect(Array(file[..<16]) == Array("RIFF".utf8) + [42, 0, 0, 0] + Array("WAVEfmt ".utf8))
        #expect(
            self.parse { take in try file.withUnsafeBytes { try take($0) } }
                == Outcome(progress: .samples, format: .advised, samples: [1, 0, 0xFE, 0xFF, 0x2C, 1], dataBytes: 6)
        )
    }
}
