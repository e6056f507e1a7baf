import SpeechAudio
import TestSupport
import Testing

/// Recordings at the upper limits, too long to be cut byte by byte.
@Suite struct AudioPrecheckSizeTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var input = AudioPrecheck.Input.upload
        /// What comes first.
        var head: [UInt8] = []
        /// The size of the whole.
        var size: Int
        var codes: [Int] = []
        /// What the message on the length says is there.
        var excess: String?
        var coverage = AudioPrecheck.Verdict.Coverage.full
    }

    private static let streamed = TestWAV.file([], size: .max)
    private static let tooManyBytes = "has 52428801 bytes, at most 52428800 are allowed"
    private static let tooManySeconds = "lasts 300.001 s, at most 300.0 s are allowed"
    private static let mp3 = Array("ID3".utf8)

    static let cases: [Case] = [
        Case(testDescription: "300 s and an odd byte", head: Self.streamed, size: 44 + 9_600_001),
        Case(
            testDescription: "a frame over 300 s",
            head: Self.streamed,
            size: 44 + 9_600_002,
            codes: [90102],
            excess: Self.tooManySeconds
        ),
        Case(testDescription: "headerless, 300 s and an odd byte", input: .headerless, size: 9_600_001),
        Case(
            testDescription: "headerless, a frame over 300 s",
            input: .headerless,
            size: 9_600_002,
            codes: [90102],
            excess: Self.tooManySeconds
        ),
        Case(testDescription: "realtime, 300 s", input: .realtimeRound, size: 9_600_000),
        Case(
            testDescription: "realtime, a byte over 300 s",
            input: .realtimeRound,
            size: 9_600_001,
            codes: [90102],
            excess: Self.tooManySeconds
        ),
        Case(
            testDescription: "realtime, as many bytes as are allowed",
            input: .realtimeRound,
            size: 10_485_760,
            codes: [90102],
            excess: "lasts 327.68 s, at most 300.0 s are allowed"
        ),
        Case(
            testDescription: "realtime, a byte more than allowed",
            input: .realtimeRound,
            size: 10_485_761,
            codes: [90102],
            excess: "lasts 327.68 s, at most 300.0 s are allowed, and has 10485761 bytes, at most 10485760 are allowed"
        ),
        Case(testDescription: "another container, 50 MB", head: Self.mp3, size: 52_428_800, coverage: .size),
        Case(
            testDescription: "another container, a byte over 50 MB",
            head: Self.mp3,
            size: 52_428_801,
            codes: [90102],
            excess: Self.tooManyBytes,
            coverage: .size
        ),
        Case(
            testDescription: "a WAV file of 50 MB that is hardly sound",
            head: TestWAV.file([0, 0]),
            size: 52_428_800,
            codes: [90101, 90103]
        ),
        Case(
            testDescription: "a WAV file of a byte over 50 MB that is hardly sound",
            head: TestWAV.file([0, 0]),
            size: 52_428_801,
            codes: [90101, 90102, 90103],
            excess: Self.tooManyBytes
        ),
        Case(
            testDescription: "the same at 8 kHz",
            head: TestWAV.file([0, 0], format: TestWAV.format(sampleRate: 8_000)),
            size: 52_428_801,
            codes: [90105, 90102],
            excess: Self.tooManyBytes
        ),
    ]

    @Test(arguments: Self.cases) func saysWhatTheContractSays(_ example: Case) {
        // Samples of 0x4040, which no test of the level minds.
        let bytes = example.head + [UInt8](repeating: 0x40, count: example.size - example.head.count)
        let verdict = AudioPrecheck.verdict(on: bytes, as: example.input)
        #expect(verdict.findings.map(\.code.rawValue) == example.codes, "\(verdict)")
        #expect(verdict.coverage == example.coverage)
        let message = example.excess.map { "The audio \($0): send it in shorter pieces." }
        #expect(verdict.findings.first { $0.code == .tooLong }?.message == message)
    }

    struct Long: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var amplitude: Int16
        var codes: [Int]
    }

    static let longs: [Long] = [
        Long(testDescription: "long and silent", amplitude: 0, codes: [90102, 90103]),
        Long(testDescription: "long and quiet", amplitude: 100, codes: [90102, 90104]),
    ]

    @Test(arguments: Self.longs) func lengthComesBeforeLevel(_ example: Long) {
        var precheck = AudioPrecheck(.realtimeRound)
        let second = TestWAV.square(example.amplitude).littleEndianBytes
        for _ in 0...300 { second.withUnsafeBytes { precheck.update($0) } }
        #expect(precheck.finish().findings.map(\.code.rawValue) == example.codes)
        #expect(precheck.finish().rejection?.code == .tooLong)
    }
}
