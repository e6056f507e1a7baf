import SpeechAudio
import Testing

/// Headers that are odd, broken or made to do harm.
@Suite struct AudioPrecheckHeaderTests {
    private static func list(of size: UInt32) -> [UInt8] { TestWAV.chunk("LIST", [1, 2, 3, 0], size: size) }

    static let cases: [PrecheckCase] = [
        PrecheckCase("no byte", [], [], .size),
        PrecheckCase("a RIFF head cut off", Array(TestWAV.riff.dropLast()), [], .size),
        PrecheckCase("a RIFF head alone", TestWAV.riff, [], .size),
        PrecheckCase("a chunk head cut off", TestWAV.riff + Array("fmt \u{10}".utf8), [], .size),
        PrecheckCase("a format cut off", TestWAV.riff + TestWAV.chunk("fmt ", [1, 0, 1], size: 16), [], .size),
        PrecheckCase("no data chunk", TestWAV.riff + TestWAV.chunk("fmt ", TestWAV.format()), [], .size),
        PrecheckCase("a data head cut off", TestWAV.file([]).dropLast(), [], .size),
        PrecheckCase(
            "a format of 15 bytes",
            TestWAV.file(TestWAV.loud(9), format: Array(TestWAV.format().dropLast())),
            [],
            .size
        ),
        PrecheckCase(
            "data before the format",
            TestWAV.riff + TestWAV.chunk("data", [1, 2]) + TestWAV.file([]),
            [],
            .size
        ),
        PrecheckCase("another RIFF file", Array("RIFF\0\0\0\0AVI LIST".utf8), [], .size),
        PrecheckCase("big-endian RIFX", Array("RIFX".utf8) + TestWAV.file([]).dropFirst(4), [], .size),
        PrecheckCase("MP3", Array("ID3\u{3}\0\0\0\0\0\0\0\0\0\0".utf8), [], .size),
        PrecheckCase("Ogg", Array("OggS".utf8) + [UInt8](repeating: 0, count: 100), [], .size),
        PrecheckCase(
            "an unknown chunk that never ends",
            TestWAV.riff + Self.list(of: .max) + TestWAV.file([]),
            [],
            .size
        ),
        PrecheckCase(
            "a format that never ends",
            TestWAV.riff + TestWAV.chunk("fmt ", TestWAV.format(), size: .max),
            [],
            .size
        ),
        PrecheckCase(
            "chunks around, of odd length and padded",
            TestWAV.riff + Self.list(of: 3) + TestWAV.chunk("fmt ", TestWAV.format()) + Self.list(of: 3)
                + TestWAV.chunk("data", TestWAV.loud(16_000)) + Self.list(of: 3)
        ),
        PrecheckCase(
            "an odd chunk without its padding hides the format",
            TestWAV.riff + TestWAV.chunk("LIST", [1, 2, 3]) + TestWAV.file(TestWAV.loud(16_000)).dropFirst(12),
            [],
            .size
        ),
        PrecheckCase(
            "empty chunks",
            TestWAV.riff + Self.list(of: 0).dropLast(4) + TestWAV.file(TestWAV.loud(16_000)).dropFirst(12)
        ),
        PrecheckCase("data of a streamed size", TestWAV.file(TestWAV.loud(16_000), size: .max)),
        PrecheckCase("data of a streamed size, short", TestWAV.file(TestWAV.loud(15_999), size: .max), [90101]),
        PrecheckCase("data of a size never filled in", TestWAV.file(TestWAV.loud(16_000), size: 0)),
        PrecheckCase("data of a size never filled in, short", TestWAV.file(TestWAV.loud(15_999), size: 0), [90101]),
        PrecheckCase("data longer than the file", TestWAV.file(TestWAV.loud(15_999), size: 64_000), [90101]),
        PrecheckCase("data shorter than the file", TestWAV.file(TestWAV.loud(32_000), size: 31_999), [90101]),
        PrecheckCase(
            "what follows the data is no sound",
            TestWAV.file([0, 0]) + TestWAV.chunk("data", TestWAV.loud(9)),
            [90101, 90103]
        ),
        PrecheckCase("no channel: no playing time", TestWAV.file(TestWAV.loud(9), format: TestWAV.format(channels: 0))),
        PrecheckCase("no channel, silent", TestWAV.file([0, 0], format: TestWAV.format(channels: 0)), [90103]),
        PrecheckCase("0 Hz", TestWAV.file(TestWAV.loud(9), format: TestWAV.format(sampleRate: 0)), [90105]),
        PrecheckCase(
            "everything at its largest",
            TestWAV.file(
                [0],
                format: TestWAV.format(tag: .max, channels: .max, sampleRate: .max, bits: .max),
                size: .max
            ),
            [90105]
        ),
        PrecheckCase("a WAV file said to be headerless", TestWAV.file(TestWAV.loud(15_999)), as: .headerless, [90101]),
        PrecheckCase("a broken WAV file said to be headerless", TestWAV.riff, as: .headerless, [], .size),
        PrecheckCase("a realtime round with a WAV header", TestWAV.file(TestWAV.loud(16_000)), as: .realtimeRound),
        PrecheckCase(
            "absurd statements",
            [1, 2, 3],
            as: .headerlessUpload(SampleFormat(channels: .max, sampleRate: .max, bitsPerSample: .max)),
            [90105]
        ),
        PrecheckCase(
            "negative statements",
            [1, 2, 3],
            as: .headerlessUpload(SampleFormat(channels: -1, sampleRate: -1, bitsPerSample: .min)),
            [90105]
        ),
    ]

    @Test(arguments: Self.cases) func saysWhatTheContractSays(_ example: PrecheckCase) {
        example.verify()
    }
}
