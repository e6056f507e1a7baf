import Foundation
import SpeechAudio
import TestSupport
import Testing

/// Random files, whole and damaged, judged by the precheck and by a reading of contract yugu, section 11, in Python.
@Suite struct PythonWitnessTests {
    static let isPythonThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    /// Judges lines of a kind (`wav`, `pcm` with rate, channels and bits, `round`) and the bytes in hexadecimal.
    ///
    /// Prints a line for each: `full` or `size`, and the codes.
    static let judge = """
        import array, math, struct, sys

        def wav(file):
            if len(file) < 12 or file[:4] != b"RIFF" or file[8:12] != b"WAVE":
                return None
            at, form = 12, None
            while at + 8 <= len(file):
                name, size = file[at:at + 4], struct.unpack_from("<I", file, at + 4)[0]
                at += 8
                if name == b"data":
                    there = len(file) - at
                    # Size zero was never filled in.
                    return form and (*form, file[at:at + (min(size, there) or there)])
                if name == b"fmt " and form is None:
                    if size < 16 or len(file) < at + min(size, 26):
                        return None
                    tag, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", file, at)
                    if tag == 0xFFFE and size >= 26:
                        tag = struct.unpack_from("<H", file, at + 24)[0]
                    form = (tag == 1, channels, rate, bits)
                at += size + size % 2
            return None

        def judge(kind, numbers, file):
            found = wav(file) if kind != "round" else None
            seconds = None
            if found:
                integer, channels, rate, bits, data = found
            elif kind == "round":
                integer, channels, rate, bits, data = True, 1, 16000, 16, file
                seconds = len(file) / 32000
            elif kind == "pcm" and not (len(file) >= 12 and file[:4] == b"RIFF" and file[8:12] == b"WAVE"):
                rate, channels, bits = numbers
                integer, data = True, file
            else:
                return "size"
            frame = channels * max(1, bits // 8)
            if seconds is None and frame and rate:
                seconds = len(data) // frame / rate
            long = [90102] if seconds is not None and seconds > 300 else []
            if not integer or bits != 16 or rate < 16000:
                return "full", 90105, *long
            codes = [90101] if seconds is not None and seconds < 1 else []
            codes += long
            samples = array.array("h", data[:len(data) // 2 * 2])
            if samples:
                rms = math.sqrt(sum(x * x for x in samples) / len(samples))
                if max(abs(x) for x in samples) < 200 and rms < 30:
                    codes.append(90103)
                elif rms == 0 or 20 * math.log10(rms / 32768) < -45:
                    codes.append(90104)
            return "full", *codes

        for line in sys.stdin:
            kind, *numbers, content = line.split()
            verdict = judge(kind, [int(number) for number in numbers], bytes.fromhex(content[1:]))
            print(verdict if isinstance(verdict, str) else " ".join(str(word) for word in verdict))
        """

    @Test(.enabled(if: isPythonThere, "no /usr/bin/python3"), arguments: [1, 2, 3] as [UInt64])
    func pythonAgreesOnRandomRecordings(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let recordings = (0..<150).map { _ in RandomRecording(using: &generator) }
        let lines = recordings.map { "\($0.kind) x\(Self.hex($0.bytes))\n" }.joined()
        let python = URL(fileURLWithPath: "/usr/bin/python3")
        let (status, output) = try await ChildProcess.run(python, ["-c", Self.judge], input: Array(lines.utf8))
        try #require(status == 0, "\(output)")
        let verdicts = output.split(separator: "\n").map(String.init)
        try #require(verdicts.count == recordings.count)
        for (recording, verdict) in zip(recordings, verdicts) {
            #expect(recording.verdict(seed: seed) == verdict, "\(recording.kind), \(recording.bytes.prefix(80))")
        }
        // Each verdict must have occurred, or little was compared.
        for word in ["size", "full", "90101", "90102", "90103", "90104", "90105"] {
            #expect(verdicts.contains { $0.contains(word) }, "no \(word)")
        }
        #expect(verdicts.contains("full"))
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}

/// A recording near the limits of the contract, in a file that may be odd or damaged.
private struct RandomRecording {
    var input: AudioPrecheck.Input
    /// What it is, in the words of the judge.
    var kind: String
    var bytes: [UInt8]

    init(using generator: inout SeededGenerator) {
        let channels = [1, 1, 1, 2, 3, 0].randomElement(using: &generator) ?? 1
        let rates = [16_000, 16_000, 16_000, 22_050, 15_999, 8_000, 30, 30, 0]
        let rate = rates.randomElement(using: &generator) ?? 16_000
        let bits = [16, 16, 16, 16, 16, 8, 24, 12].randomElement(using: &generator) ?? 16
        // At 30 Hz, 9,000 frames are 300 s.
        let counts = rate < 8_000 ? [0, 8_999, 9_000, 9_001] : [0, 9, rate - 1, rate, rate + 1]
        let frames = counts.randomElement(using: &generator) ?? 0
        var data = Self.samples(frames * channels, using: &generator)
        data += [UInt8](repeating: 1, count: Int.random(in: 0...2, using: &generator))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            self.input = .realtimeRound
            self.kind = "round"
            self.bytes = data
        case 1:
            self.input = .headerlessUpload(SampleFormat(channels: channels, sampleRate: rate, bitsPerSample: bits))
            self.kind = "pcm \(rate) \(channels) \(bits)"
            self.bytes = data
        default:
            self.input = .upload
            self.kind = "wav"
            let subFormat: UInt16? = [nil, nil, 1, 3].randomElement(using: &generator) ?? nil
            let format = TestWAV.format(
                subFormat: subFormat,
                channels: UInt16(channels),
                sampleRate: UInt32(rate),
                bits: UInt16(bits)
            )
            let size = [nil, nil, nil, 0, UInt32.max, 100].randomElement(using: &generator) ?? nil
            self.bytes = TestWAV.riff
            self.bytes += Self.otherChunk(using: &generator)
            self.bytes += TestWAV.chunk("fmt ", format)
            self.bytes += Self.otherChunk(using: &generator)
            self.bytes += TestWAV.chunk("data", data, size: size)
            self.bytes += Self.otherChunk(using: &generator)
            self.damage(using: &generator)
        }
    }

    /// Samples whose size is that of a threshold, or nearly.
    private static func samples(_ count: Int, using generator: inout SeededGenerator) -> [UInt8] {
        let amplitudes: [Int16] = [0, 29, 30, 31, 184, 185, 199, 200, 8_000, .max]
        let amplitude = amplitudes.randomElement(using: &generator) ?? 0
        var samples = TestWAV.square(amplitude, count: count)
        let extreme: Int16 = [0, 29, 199, -199, 200, -200, .min].randomElement(using: &generator) ?? 0
        if count > 0 { samples[Int.random(in: 0..<count, using: &generator)] = extreme }
        return samples.littleEndianBytes
    }

    private static func otherChunk(using generator: inout SeededGenerator) -> [UInt8] {
        let count = [nil, nil, 0, 1, 2, 33].randomElement(using: &generator) ?? nil
        guard let count else { return [] }
        return TestWAV.chunk("LIST", [UInt8](repeating: 5, count: count)) + [UInt8](repeating: 0, count: count % 2)
    }

    /// One of three files is cut off or has another byte within its headers.
    private mutating func damage(using generator: inout SeededGenerator) {
        let place = Int.random(in: 0..<min(80, self.bytes.count), using: &generator)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: self.bytes.removeSubrange(place...)
        case 1: self.bytes[place] = UInt8.random(in: 0...255, using: &generator)
        default: break
        }
    }

    /// What the precheck says when it takes the recording in random pieces, in the words of the judge.
    func verdict(seed: UInt64) -> String {
        let verdict = AudioPrecheck.verdict(on: self.bytes, as: self.input, cutBy: seed)
        let coverage = verdict.coverage == .full ? "full" : "size"
        return ([coverage] + verdict.findings.map { String($0.code.rawValue) }).joined(separator: " ")
    }
}
