import SpeechAudio
import TestSupport
import Testing

/// A recording and what the contract says of it.
struct PrecheckCase: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var bytes: [UInt8]
    var input: AudioPrecheck.Input
    var codes: [Int]
    var coverage: AudioPrecheck.Verdict.Coverage

    init(
        _ description: String,
        _ bytes: [UInt8],
        as input: AudioPrecheck.Input = .upload,
        _ codes: [Int] = [],
        _ coverage: AudioPrecheck.Verdict.Coverage = .full
    ) {
        self.testDescription = description
        self.bytes = bytes
        self.input = input
        self.codes = codes
        self.coverage = coverage
    }

    /// Compares the verdict with the contract's, and, messages included, with those on all other cuts.
    func verify() {
        let verdict = AudioPrecheck.verdict(on: self.bytes, as: self.input)
        #expect(verdict.findings.map(\.code.rawValue) == self.codes, "\(verdict)")
        #expect(verdict.coverage == self.coverage)
        let differences = ParserVerifier.differences(of: self.bytes, expected: verdict) { feed in
            var precheck = AudioPrecheck(self.input)
            try? feed { precheck.update($0) }
            return precheck.finish()
        }
        #expect(differences.isEmpty, "\(differences)")
    }
}

extension AudioPrecheck {
    /// The verdict on a recording that comes in random pieces.
    static func verdict(on bytes: [UInt8], as input: Input = .upload, cutBy seed: UInt64 = 1) -> Verdict {
        var precheck = AudioPrecheck(input)
        bytes.withUnsafeBytes { bytes in
            var start = 0
            for end in ParserVerifier.randomEnds(in: bytes.count, seed: seed) + [bytes.count] {
                precheck.update(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                start = end
            }
        }
        return precheck.finish()
    }
}

extension AudioPrecheck.Input {
    /// Samples of the advised format without a header.
    static let headerless = Self.headerlessUpload(.advised)
}

extension TestWAV {
    /// Samples of changing sign and equal size, so that peak and RMS are that size.
    static func square(_ amplitude: Int16, count: Int = 16_000) -> [Int16] {
        (0..<count).map { $0.isMultiple(of: 2) ? amplitude : -amplitude }
    }

    /// The bytes of samples that no test of the level minds.
    static func loud(_ count: Int) -> [UInt8] { Self.square(8_000, count: count).littleEndianBytes }
}
