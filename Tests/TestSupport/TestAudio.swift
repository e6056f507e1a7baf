internal import Glibc

/// Recordings made of arithmetic.
public enum TestAudio {
    /// A WAV file of a tone: 16 kHz, mono, 16-bit.
    ///
    /// - Parameters:
    ///   - seconds: Its length.
    ///   - amplitude: The largest sample, up to 32,767; 0 is silence.
    ///   - frequency: In hertz; another one makes another recording.
    public static func wav(seconds: Double = 1.5, amplitude: Double = 8000, frequency: Double = 220) -> [UInt8] {
        let count = Int(seconds * 16_000)
        var bytes = Array("RIFF".utf8)
        Self.append(UInt32(36 + count * 2), to: &bytes)
        bytes += Array("WAVEfmt ".utf8)
        Self.append(UInt32(16), to: &bytes)
        Self.append(UInt16(1), to: &bytes)
        Self.append(UInt16(1), to: &bytes)
        Self.append(UInt32(16_000), to: &bytes)
        Self.append(UInt32(32_000), to: &bytes)
        Self.append(UInt16(2), to: &bytes)
        Self.append(UInt16(16), to: &bytes)
        bytes += Array("data".utf8)
        Self.append(UInt32(count * 2), to: &bytes)
        for index in 0..<count {
            let value = amplitude * sin(2 * .pi * frequency * Double(index) / 16_000)
            Self.append(UInt16(bitPattern: Int16(value)), to: &bytes)
        }
        return bytes
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
