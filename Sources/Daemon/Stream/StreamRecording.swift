internal import SpeechAudio

/// A recording as realtime evaluation takes it: samples of 16 bits at 16 kHz in one channel, without a header.
struct StreamRecording: Sendable {
    /// The largest file in bytes: one round of audio, and a header.
    private static let maximumFile = 12 << 20
    /// The largest round of audio in bytes (contract yugu, section 1).
    static let maximumBytes = 10 << 20
    /// The bytes of one second.
    static let bytesPerSecond = 32_000

    /// The samples.
    let bytes: [UInt8]

    /// How long it plays, in seconds.
    var seconds: Double { Double(self.bytes.count) / Double(StreamRecording.bytesPerSecond) }

    /// Reads a file.
    static func read(_ path: String) throws(VerbFailure) -> StreamRecording {
        let contents: FileContents
        do throws(FileError) {
            contents = try FileContents.read(path, maximum: Self.maximumFile)
        } catch {
            throw VerbFailure(.noInput, "cannot read \(path): \(error.reason)")
        }
        let samples =
            path.hasSuffix(".pcm") || path.hasSuffix(".raw")
            ? contents.bytes : try Self.samples(of: contents.bytes, path: path)
        guard !samples.isEmpty else { throw VerbFailure(.dataError, "\(path) holds no samples") }
        guard samples.count <= Self.maximumBytes else {
            throw VerbFailure(.dataError, "\(path) is longer than 327 seconds, the most that one evaluation takes")
        }
        return StreamRecording(bytes: samples)
    }

    private static func samples(of file: [UInt8], path: String) throws(VerbFailure) -> [UInt8] {
        var parser = WAVParser()
        var samples: [UInt8] = []
        file.withUnsafeBytes { bytes in
            parser.parse(bytes) { piece, _ in samples.append(contentsOf: piece) }
        }
        guard parser.progress == .samples, let format = parser.format else {
            throw VerbFailure(
                .dataError,
                "\(path) is no WAV file; samples without a header need a name in .pcm or .raw"
            )
        }
        guard format == .advised else {
            let found = "\(format.bitsPerSample) bits, \(format.sampleRate) Hz, channels: \(format.channels)"
            let advice = "ffmpeg -i IN -ar 16000 -ac 1 -c:a pcm_s16le OUT.wav"
            throw VerbFailure(
                .dataError,
                "\(path) has \(found); 16-bit samples at 16000 Hz in one channel are needed: \(advice)"
            )
        }
        return samples
    }
}
