/// The playing time with which a recording is counted, where a header that is believed blindly would make it free.
///
/// A header whose format nobody records in says nothing: then the bytes count as those of ``SampleFormat/advised`` do.
/// However plausible it is, no recording counts as shorter than its bytes would be at the fastest format of a device,
/// 48 kHz in stereo with 32 bits.
public struct RecordingLength: Hashable, Sendable {
    private static let bytesPerSecond = SampleFormat.advised.sampleRate * 2
    private static let highestBytesPerSecond = 48_000 * 2 * 4

    /// In seconds.
    public let seconds: Double

    /// In milliseconds, of which the last one counts when it has begun.
    public var milliseconds: Int64 { Int64((self.seconds * 1000).rounded(.up)) }

    /// Counts samples of a known format.
    ///
    /// - Parameters:
    ///   - dataBytes: The bytes of sample data.
    ///   - fileBytes: The size of the whole file.
    init(format: SampleFormat, dataBytes: Int, fileBytes: Int) {
        let stated = format.isPlausible ? format.duration(ofDataBytes: dataBytes) : nil
        self.seconds = max(
            stated ?? Double(fileBytes) / Double(Self.bytesPerSecond),
            Double(fileBytes) / Double(Self.highestBytesPerSecond)
        )
    }

    /// Reads the beginning of a file.
    ///
    /// - Parameters:
    ///   - input: What is known of the file beside its bytes; asked for only if they do not tell.
    ///   - opening: Its first bytes, or all.
    ///   - fileBytes: Its size.
    /// - Returns: Nil when the file is no WAV file, nor samples of a stated format, or its samples begin elsewhere.
    public init?(_ input: @autoclosure () -> AudioPrecheck.Input, opening: UnsafeRawBufferPointer, fileBytes: Int) {
        guard WAVParser.isWAV(opening) else {
            guard case .headerlessUpload(let format) = input() else { return nil }
            self.init(format: format, dataBytes: fileBytes, fileBytes: fileBytes)
            return
        }
        var parser = WAVParser()
        parser.parse(opening) { _, _ in }
        parser.skip(fileBytes - opening.count)
        guard parser.progress == .samples, let format = parser.format else { return nil }
        self.init(format: format, dataBytes: parser.dataBytes, fileBytes: fileBytes)
    }
}

extension SampleFormat {
    /// Whether anybody records in this format, studios included.
    fileprivate var isPlausible: Bool {
        (8_000...192_000).contains(self.sampleRate) && (1...8).contains(self.channels)
            && (8...64).contains(self.bitsPerSample)
    }
}
