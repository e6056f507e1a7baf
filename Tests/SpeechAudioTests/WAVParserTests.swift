import SpeechAudio
import Testing

@Suite struct WAVParserTests {
    /// What a parser says after a file; samples are collected in the order of the calls.
    private struct Outcome: Equatable {
        var progress: WAVParser.Progress
        var format: WAVFormat?
        var samples: [UInt8]
        var dataBytes: Int
    }

    private func parse(_ pieces: [ArraySlice<UInt8>]) -> Outcome {
        var parser = WAVParser()
        var samples: [UInt8] = []
        for piece in pieces {
            Array(piece).withUnsafeBytes { parser.parse($0) { bytes, _ in samples.append(contentsOf: bytes) } }
        }
        return Outcome(
            progress: parser.progress,
            format: parser.format,
            samples: samples,
            dataBytes: parser.dataBytes
        )
    }

    private static func chunk(_ name: String, _ content: [UInt8], size: UInt32? = nil) -> [UInt8] {
        let size = size ?? UInt32(content.count)
        return Array(name.utf8) + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + content
    }

    private static let riff: [UInt8] = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVE".utf8)
    private static let format: [UInt8] = [1, 0, 1, 0, 0x80, 0x3E, 0, 0, 0, 0x7D, 0, 0, 2, 0, 16, 0]
    private static let sound: [UInt8] = [1, 0, 2, 0, 3, 0]

    private static func extensible(subFormat: UInt8) -> [UInt8] {
        [0xFE, 0xFF] + self.format[2...] + [22, 0, 16, 0, 4, 0, 0, 0, subFormat, 0] + [UInt8](repeating: 7, count: 14)
    }

    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        var progress = WAVParser.Progress.samples
        var format: WAVFormat? = .advised
        var samples: [UInt8] = WAVParserTests.sound
    }

    static let cases: [Case] = [
        Case(
            testDescription: "a RIFF size of zero is ignored",
            bytes: Self.riff + Self.chunk("fmt ", Self.format) + Self.chunk("data", Self.sound)
        ),
        Case(
            testDescription: "unknown chunks of odd length are skipped with their padding",
            bytes: Self.riff + Self.chunk("LIST", [1, 2, 3, 0], size: 3) + Self.chunk("fmt ", Self.format)
                + Self.chunk("fact", [9, 0], size: 1) + Self.chunk("data", Self.sound)
        ),
        Case(
            testDescription: "a streamed data size is clamped to what is there",
            bytes: Self.riff + Self.chunk("fmt ", Self.format) + Self.chunk("data", Self.sound, size: .max)
        ),
        Case(
            testDescription: "the first data chunk counts",
            bytes: Self.riff + Self.chunk("fmt ", Self.format) + Self.chunk("data", Self.sound)
                + Self.chunk("data", [9, 9])
        ),
        Case(
            testDescription: "an empty data chunk is found",
            bytes: Self.riff + Self.chunk("fmt ", Self.format) + Self.chunk("data", []),
            samples: []
        ),
        Case(
            testDescription: "an extensible format with an integer sub-format is integer PCM",
            bytes: Self.riff + Self.chunk("fmt ", Self.extensible(subFormat: 1)) + Self.chunk("data", Self.sound)
        ),
        Case(
            testDescription: "an extensible format with a float sub-format is not",
            bytes: Self.riff + Self.chunk("fmt ", Self.extensible(subFormat: 3)) + Self.chunk("data", Self.sound),
            format: WAVFormat(isIntegerPCM: false, channels: 1, sampleRate: 16_000, bitsPerSample: 16)
        ),
        Case(
            testDescription: "an extensible format too short for a sub-format is not integer PCM",
            bytes: Self.riff + Self.chunk("fmt ", [0xFE, 0xFF] + Self.format[2...] + [0, 0])
                + Self.chunk("data", Self.sound),
            format: WAVFormat(isIntegerPCM: false, channels: 1, sampleRate: 16_000, bitsPerSample: 16)
        ),
        Case(
            testDescription: "data before the format is not understood",
            bytes: Self.riff + Self.chunk("data", Self.sound) + Self.chunk("fmt ", Self.format),
            progress: .notWAV,
            format: nil,
            samples: []
        ),
        Case(
            testDescription: "a format of under 16 bytes is not understood",
            bytes: Self.riff + Self.chunk("fmt ", Array(Self.format.prefix(14))) + Self.chunk("data", Self.sound),
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
            bytes: Self.riff + Self.chunk("fmt ", Array(Self.format.prefix(9)), size: 16),
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
        #expect(self.parse([example.bytes[...]]) == expected)
        #expect(self.parse(example.bytes.indices.map { example.bytes[$0...$0] }) == expected, "byte by byte")
        for split in example.bytes.indices {
            let pieces = [example.bytes[..<split], example.bytes[split...]]
            #expect(self.parse(pieces) == expected, "split at \(split)")
        }
    }

    struct Span: Sendable {
        var format: WAVFormat
        var bytes: Int
        var seconds: Double
    }

    static let spans: [Span] = [
        Span(format: .advised, bytes: 32_000, seconds: 1),
        Span(format: .advised, bytes: 31_999, seconds: 15_999.0 / 16_000),
        Span(
            format: WAVFormat(isIntegerPCM: true, channels: 2, sampleRate: 44_100, bitsPerSample: 16),
            bytes: 44_100 * 4 * 3,
            seconds: 3
        ),
        // Fewer than eight bits still take a byte.
        Span(
            format: WAVFormat(isIntegerPCM: true, channels: 1, sampleRate: 8_000, bitsPerSample: 4),
            bytes: 8_000,
            seconds: 1
        ),
        Span(
            format: WAVFormat(isIntegerPCM: true, channels: 0, sampleRate: 16_000, bitsPerSample: 16),
            bytes: 100,
            seconds: 0
        ),
        Span(
            format: WAVFormat(isIntegerPCM: true, channels: 1, sampleRate: 0, bitsPerSample: 16),
            bytes: 100,
            seconds: 0
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
            self.parse([file[...]])
                == Outcome(progress: .samples, format: .advised, samples: [1, 0, 0xFE, 0xFF, 0x2C, 1], dataBytes: 6)
        )
    }
}
