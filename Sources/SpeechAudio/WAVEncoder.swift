/// Writes WAV files of 16-bit samples: the 44-byte header that raw PCM is wrapped with, and the samples.
public enum WAVEncoder {
    /// The header of a file of 16-bit integer samples.
    ///
    /// - Parameters:
    ///   - dataBytes: The bytes of sample data that follow.
    ///   - sampleRate: In hertz. The default is 16,000.
    ///   - channels: The number of channels. The default is 1.
    /// - Returns: 44 bytes.
    public static func header(dataBytes: Int, sampleRate: Int = 16_000, channels: Int = 1) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(44)
        func append(_ value: Int, _ count: Int) {
            for index in 0..<count {
                bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index)))
            }
        }
        bytes.append(contentsOf: "RIFF".utf8)
        append(36 + dataBytes, 4)
        bytes.append(contentsOf: "WAVEfmt ".utf8)
        append(16, 4)
        append(1, 2)
        append(channels, 2)
        append(sampleRate, 4)
        append(sampleRate * channels * 2, 4)
        append(channels * 2, 2)
        append(16, 2)
        bytes.append(contentsOf: "data".utf8)
        append(dataBytes, 4)
        return bytes
    }

    /// A whole file.
    ///
    /// - Parameters:
    ///   - samples: 16-bit samples, channels interleaved.
    ///   - sampleRate: In hertz. The default is 16,000.
    ///   - channels: The number of channels. The default is 1.
    /// - Returns: The bytes of the file.
    public static func file(samples: [Int16], sampleRate: Int = 16_000, channels: Int = 1) -> [UInt8] {
        var bytes = self.header(dataBytes: samples.count * 2, sampleRate: sampleRate, channels: channels)
        bytes.reserveCapacity(44 + samples.count * 2)
        for sample in samples {
            bytes.append(UInt8(truncatingIfNeeded: sample))
            bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        return bytes
    }
}
