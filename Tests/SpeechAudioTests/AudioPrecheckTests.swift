import SpeechAudio
import Testing

/// The table of contract yugu, section 11: each threshold at, below and above.
@Suite struct AudioPrecheckTests {
    private static let stereo = TestWAV.format(channels: 2, sampleRate: 44_100)
    private static let slow = TestWAV.format(sampleRate: 100, bits: 8)

    /// A second of samples, the first of which are others.
    private static func second(_ amplitude: Int16, beginning: [Int16] = []) -> [UInt8] {
        TestWAV.file((beginning + TestWAV.square(amplitude).dropFirst(beginning.count)).littleEndianBytes)
    }

    static let durations: [PrecheckCase] = [
        PrecheckCase("a frame under 1 s", TestWAV.file(TestWAV.loud(15_999)), [90101]),
        PrecheckCase("1 s", TestWAV.file(TestWAV.loud(16_000))),
        PrecheckCase("a frame over 1 s", TestWAV.file(TestWAV.loud(16_001))),
        PrecheckCase("a byte under 1 s", TestWAV.file(TestWAV.loud(16_000).dropLast()), [90101]),
        PrecheckCase("an odd byte behind 1 s", TestWAV.file(TestWAV.loud(16_000) + [1])),
        PrecheckCase(
            "stereo, a byte under 1 s",
            TestWAV.file(TestWAV.loud(88_200).dropLast(), format: Self.stereo),
            [90101]
        ),
        PrecheckCase("stereo, 1 s", TestWAV.file(TestWAV.loud(88_200), format: Self.stereo)),
        PrecheckCase("no sample", TestWAV.file([]), [90101]),
        PrecheckCase("headerless, a byte under 1 s", TestWAV.loud(16_000).dropLast(), as: .headerless, [90101]),
        PrecheckCase("headerless, 1 s", TestWAV.loud(16_000), as: .headerless),
        PrecheckCase("headerless, under 12 bytes", TestWAV.loud(5), as: .headerless, [90101]),
        PrecheckCase("headerless, no byte", [], as: .headerless, [90101]),
        PrecheckCase(
            "headerless stereo, half a second",
            TestWAV.loud(16_000),
            as: .headerlessUpload(SampleFormat(channels: 2, sampleRate: 16_000, bitsPerSample: 16)),
            [90101]
        ),
        PrecheckCase("realtime, a byte under 1 s", TestWAV.loud(16_000).dropLast(), as: .realtimeRound, [90101]),
        PrecheckCase("realtime, 1 s", TestWAV.loud(16_000), as: .realtimeRound),
        PrecheckCase("realtime, no byte", [], as: .realtimeRound, [90101]),
        PrecheckCase(
            "a frame under 300 s",
            TestWAV.file([UInt8](repeating: 9, count: 29_999), format: Self.slow),
            [90105]
        ),
        PrecheckCase("300 s", TestWAV.file([UInt8](repeating: 9, count: 30_000), format: Self.slow), [90105]),
        PrecheckCase(
            "a frame over 300 s",
            TestWAV.file([UInt8](repeating: 9, count: 30_001), format: Self.slow),
            [90105, 90102]
        ),
    ]

    // The RMS of -45 dBFS is sqrt(2^30 x 10^-4.5) = 184.268; of 16,000 samples of 185 and 184, 4279.58 of 185 have it
    // (computed with 50 decimal places).
    static let levels: [PrecheckCase] = [
        PrecheckCase("digital silence", Self.second(0), [90103]),
        PrecheckCase("peak 199 alone", Self.second(0, beginning: [199]), [90103]),
        PrecheckCase("peak -199 alone", Self.second(0, beginning: [-199]), [90103]),
        PrecheckCase("peak 200 alone", Self.second(0, beginning: [200]), [90104]),
        PrecheckCase("peak -200 alone", Self.second(0, beginning: [-200]), [90104]),
        PrecheckCase("peak -32768 alone", Self.second(0, beginning: [.min])),
        PrecheckCase("RMS 29", Self.second(29), [90103]),
        PrecheckCase("RMS just below 30", Self.second(30, beginning: [29]), [90103]),
        PrecheckCase("RMS 30", Self.second(30), [90104]),
        PrecheckCase("RMS just above 30", Self.second(30, beginning: [31]), [90104]),
        PrecheckCase("peak 200, RMS just below 30", Self.second(29, beginning: [200]), [90104]),
        PrecheckCase("RMS 184", Self.second(184), [90104]),
        PrecheckCase("just below -45 dBFS", Self.second(184, beginning: TestWAV.square(185, count: 4_279)), [90104]),
        PrecheckCase("just above -45 dBFS", Self.second(184, beginning: TestWAV.square(185, count: 4_280))),
        PrecheckCase("RMS 185", Self.second(185)),
        PrecheckCase("clipping is no finding", Self.second(.max)),
        PrecheckCase(
            "a constant offset is level",
            TestWAV.file([Int16](repeating: 185, count: 16_000).littleEndianBytes)
        ),
        PrecheckCase(
            "a quiet constant",
            TestWAV.file([Int16](repeating: 184, count: 16_000).littleEndianBytes),
            [90104]
        ),
        PrecheckCase(
            "all channels count together: -42.3 and -inf dBFS are -45.4",
            TestWAV.file(
                TestWAV.square(250, count: 44_100).flatMap { [$0, 0] }.littleEndianBytes,
                format: Self.stereo
            ),
            [90104]
        ),
        PrecheckCase("headerless silence", [UInt8](repeating: 0, count: 32_000), as: .headerless, [90103]),
        PrecheckCase("realtime, quiet", TestWAV.square(184).littleEndianBytes, as: .realtimeRound, [90104]),
    ]

    private static func second(of format: [UInt8]) -> [UInt8] {
        TestWAV.file(TestWAV.loud(16_000), format: format)
    }

    static let formats: [PrecheckCase] = [
        PrecheckCase("8-bit", Self.second(of: TestWAV.format(bits: 8)), [90105]),
        PrecheckCase("12-bit", Self.second(of: TestWAV.format(bits: 12)), [90105]),
        PrecheckCase("15-bit", Self.second(of: TestWAV.format(bits: 15)), [90105]),
        PrecheckCase("17-bit", Self.second(of: TestWAV.format(bits: 17)), [90105]),
        PrecheckCase("24-bit", Self.second(of: TestWAV.format(bits: 24)), [90105]),
        PrecheckCase("0-bit", Self.second(of: TestWAV.format(bits: 0)), [90105]),
        PrecheckCase("15,999 Hz", Self.second(of: TestWAV.format(sampleRate: 15_999)), [90105]),
        PrecheckCase("16,001 Hz, almost 1 s", Self.second(of: TestWAV.format(sampleRate: 16_001)), [90101]),
        PrecheckCase("8,000 Hz", Self.second(of: TestWAV.format(sampleRate: 8_000)), [90105]),
        PrecheckCase("float", Self.second(of: TestWAV.format(tag: 3)), [90105]),
        PrecheckCase("A-law", Self.second(of: TestWAV.format(tag: 6, sampleRate: 8_000, bits: 8)), [90105]),
        PrecheckCase("extensible integer", Self.second(of: TestWAV.format(subFormat: 1))),
        PrecheckCase("extensible float", Self.second(of: TestWAV.format(subFormat: 3)), [90105]),
        PrecheckCase("extensible tag alone", Self.second(of: TestWAV.format(tag: 0xFFFE)), [90105]),
        PrecheckCase("a format with an empty extension", Self.second(of: TestWAV.format() + [0, 0])),
        PrecheckCase(
            "neither short nor silent is told of 8-bit",
            TestWAV.file([0], format: TestWAV.format(bits: 8)),
            [90105]
        ),
        PrecheckCase(
            "headerless 8-bit",
            [],
            as: .headerlessUpload(SampleFormat(channels: 1, sampleRate: 16_000, bitsPerSample: 8)),
            [90105]
        ),
        PrecheckCase(
            "headerless float",
            [],
            as: .headerlessUpload(
                SampleFormat(isIntegerPCM: false, channels: 1, sampleRate: 16_000, bitsPerSample: 16)
            ),
            [90105]
        ),
        PrecheckCase(
            "headerless 15,999 Hz",
            [],
            as: .headerlessUpload(SampleFormat(channels: 1, sampleRate: 15_999, bitsPerSample: 16)),
            [90105]
        ),
    ]

    static let orders: [PrecheckCase] = [
        PrecheckCase("short and silent", TestWAV.file([0, 0]), [90101, 90103]),
        PrecheckCase("short and quiet", TestWAV.file([200, 0, 0, 0, 0, 0]), [90101, 90104]),
        PrecheckCase(
            "unsuitable and long",
            TestWAV.file([UInt8](repeating: 0, count: 30_001), format: Self.slow),
            [90105, 90102]
        ),
    ]

    @Test(arguments: Self.durations + Self.levels + Self.formats + Self.orders)
    func saysWhatTheContractSays(_ example: PrecheckCase) {
        example.verify()
    }

    @Test func onlyLowVolumeNeverRejects() {
        let codes = (90101...90105).compactMap(AudioPrecheck.Finding.Code.init)
        #expect(codes.filter(\.isRejecting).map(\.rawValue) == [90101, 90102, 90103, 90105])
        #expect(
            codes.map(\.name)
                == ["audio_too_short", "audio_too_long", "audio_silent", "audio_quiet", "audio_format_unsuitable"]
        )
    }

    @Test func theFirstRejectingFindingRejects() {
        #expect(AudioPrecheck.verdict(on: TestWAV.file([0, 0])).rejection?.code == .tooShort)
        #expect(AudioPrecheck.verdict(on: Self.second(0)).rejection?.code == .silent)
        #expect(AudioPrecheck.verdict(on: Self.second(100)).findings.count == 1)
        #expect(AudioPrecheck.verdict(on: Self.second(100)).rejection == nil)
        let unsuitable = TestWAV.file([UInt8](repeating: 0, count: 30_001), format: Self.slow)
        #expect(AudioPrecheck.verdict(on: unsuitable).rejection?.code == .unsuitableFormat)
    }

    static let messages: [(bytes: [UInt8], message: String)] = [
        (TestWAV.file(TestWAV.loud(8_512)), "The audio lasts 0.532 s, at least 1.0 s are needed: record more."),
        (TestWAV.file(TestWAV.loud(15_999)), "The audio lasts 0.999 s, at least 1.0 s are needed: record more."),
        (
            Self.second(30, beginning: [29]),
            "Nothing can be heard: the peak is 30, below 200, and the RMS is 29.9, below 30.0: "
                + "check the microphone and record again."
        ),
        (
            Self.second(184),
            "The level is -45.1 dBFS, below -45.0 dBFS: speak closer to the microphone or raise its gain."
        ),
        (
            Self.second(of: TestWAV.format(tag: 3, bits: 32)),
            "The format is 32-bit audio, not integer PCM, at 16000 Hz, "
                + "16-bit integer PCM at 16000 Hz or more is needed: convert it."
        ),
        (
            Self.second(of: TestWAV.format(sampleRate: 8_000)),
            "The format is 16-bit integer PCM at 8000 Hz, "
                + "16-bit integer PCM at 16000 Hz or more is needed: convert it."
        ),
    ]

    /// What is found is never rounded to what is allowed.
    @Test(arguments: Self.messages) func messagesNameWhatIsThereAndWhatIsNeeded(bytes: [UInt8], message: String) {
        #expect(AudioPrecheck.verdict(on: bytes).findings.map(\.message) == [message])
    }

    @Test func theStateIsSmall() {
        #expect(MemoryLayout<AudioPrecheck>.size < 512)
    }
}
