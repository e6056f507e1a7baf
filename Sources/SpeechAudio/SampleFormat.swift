/// How samples are written: what the `fmt ` chunk of a WAV file says, or what is stated of samples without a header.
public struct SampleFormat: Hashable, Sendable {
    /// Whether the samples are integers: format tag 1, or the extensible tag with the sub-format 1.
    public let isIntegerPCM: Bool
    /// The number of channels; zero is possible in a broken file.
    public let channels: Int
    /// Samples per second and channel, in hertz.
    public let sampleRate: Int
    /// The size of one sample in bits.
    public let bitsPerSample: Int

    /// Takes what is known of the samples.
    ///
    /// - Parameters:
    ///   - isIntegerPCM: Whether the samples are integers. The default is `true`.
    ///   - channels: The number of channels.
    ///   - sampleRate: In hertz.
    ///   - bitsPerSample: In bits.
    public init(isIntegerPCM: Bool = true, channels: Int, sampleRate: Int, bitsPerSample: Int) {
        self.isIntegerPCM = isIntegerPCM
        self.channels = channels
        self.sampleRate = sampleRate
        self.bitsPerSample = bitsPerSample
    }

    /// The format that the platforms advise: 16-bit integers, 16 kHz, one channel.
    public static let advised = SampleFormat(isIntegerPCM: true, channels: 1, sampleRate: 16_000, bitsPerSample: 16)

    /// Whether the samples are 16-bit integers, which is what ``PCMLevel`` measures.
    public var isPCM16: Bool { self.isIntegerPCM && self.bitsPerSample == 16 }

    /// The playing time of an amount of sample data, in seconds (contract yugu, section 11).
    ///
    /// - Parameter dataBytes: The bytes of sample data that are there.
    /// - Returns: Seconds; nil when the format names no channel or no sample rate, or frames of an absurd size.
    public func duration(ofDataBytes dataBytes: Int) -> Double? {
        let (frameBytes, overflows) = self.channels.multipliedReportingOverflow(by: max(1, self.bitsPerSample / 8))
        guard !overflows, frameBytes > 0, self.sampleRate > 0 else { return nil }
        return Double(dataBytes / frameBytes) / Double(self.sampleRate)
    }

    /// Reads the first bytes of a `fmt ` chunk's content.
    ///
    /// - Parameters:
    ///   - bytes: At least 16 bytes.
    ///   - chunkSize: The declared size of the chunk; a sub-format is read only when it covers one.
    init(chunk bytes: [UInt8], chunkSize: Int) {
        func number(_ offset: Int, _ count: Int) -> Int {
            (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
        }
        var tag = number(0, 2)
        if tag == 0xFFFE, chunkSize >= 26, bytes.count >= 26 {
            tag = number(24, 2)
        }
        self.isIntegerPCM = tag == 1
        self.channels = number(2, 2)
        self.sampleRate = number(4, 4)
        self.bitsPerSample = number(14, 2)
    }
}
