extension AudioPrecheck {
    /// Something that speaks against a recording.
    public struct Finding: Hashable, Sendable {
        /// What it is, with the platform's number for it.
        public enum Code: Int, Hashable, Sendable {
            /// The recording lasts under 1.0 s.
            case tooShort = 90101
            /// The recording lasts over 300.0 s or has too many bytes.
            case tooLong = 90102
            /// Nothing can be heard.
            case silent = 90103
            /// Something can be heard, but the level is below -45 dB.
            case quiet = 90104
            /// The samples are not 16-bit integers, or the sample rate is below 16 kHz.
            case unsuitableFormat = 90105

            /// A name for machines, as in the answer to a refused call.
            public var name: String {
                switch self {
                case .tooShort: "audio_too_short"
                case .tooLong: "audio_too_long"
                case .silent: "audio_silent"
                case .quiet: "audio_quiet"
                case .unsuitableFormat: "audio_format_unsuitable"
                }
            }

            /// Whether the contract counts it as a reason to refuse the recording; otherwise it only warns.
            public var isRejecting: Bool { self != .quiet }
        }

        /// What it is.
        public let code: Code
        /// What was found, what the limit is and what to do, in printable ASCII.
        public let message: String
    }
}

extension SampleFormat {
    static let minimumSampleRate = 16_000

    /// Whether the platforms take the format as it is; the level is judged only then.
    var isSuitable: Bool { self.isPCM16 && self.sampleRate >= Self.minimumSampleRate }
}

extension AudioPrecheck.Finding {
    static let minimumDuration = 1.0
    static let maximumDuration = 300.0
    static let maximumUploadSize = 52_428_800
    static let maximumRoundSize = 10_485_760

    static func tooShort(duration: Double?) -> Self? {
        guard let duration, duration < Self.minimumDuration else { return nil }
        // 0.9999 s must not be said to be 1 s.
        let seconds = min((duration * 1_000).rounded(), 999) / 1_000
        return Self(
            code: .tooShort,
            message: "The audio lasts \(seconds) s, at least \(Self.minimumDuration) s are needed: record more."
        )
    }

    static func tooLong(duration: Double?, size: Int, maximumSize: Int) -> Self? {
        var excess: [String] = []
        if let duration, duration > Self.maximumDuration {
            let seconds = max((duration * 1_000).rounded(), 300_001) / 1_000
            excess.append("lasts \(seconds) s, at most \(Self.maximumDuration) s are allowed")
        }
        if size > maximumSize {
            excess.append("has \(size) bytes, at most \(maximumSize) are allowed")
        }
        guard !excess.isEmpty else { return nil }
        return Self(
            code: .tooLong,
            message: "The audio \(excess.joined(separator: ", and ")): send it in shorter pieces."
        )
    }

    /// What is to be said of the level: silence, low volume or nothing.
    static func tooLow(_ level: PCMLevel) -> Self? {
        guard level.sampleCount > 0 else { return nil }
        if level.isSilent {
            let rms = min((level.rootMeanSquare * 10).rounded(), PCMLevel.silentRootMeanSquare * 10 - 1) / 10
            return Self(
                code: .silent,
                message: "Nothing can be heard: the peak is \(level.peak), below \(PCMLevel.silentPeak), and the RMS "
                    + "is \(rms), below \(PCMLevel.silentRootMeanSquare): check the microphone and record again."
            )
        }
        guard level.isQuiet else { return nil }
        let decibels = min((level.decibels * 10).rounded(), PCMLevel.quietDecibels * 10 - 1) / 10
        return Self(
            code: .quiet,
            message: "The level is \(decibels) dBFS, below \(PCMLevel.quietDecibels) dBFS: "
                + "speak closer to the microphone or raise its gain."
        )
    }

    static func unsuitableFormat(_ format: SampleFormat) -> Self? {
        guard !format.isSuitable else { return nil }
        let kind = format.isIntegerPCM ? "integer PCM" : "audio, not integer PCM,"
        return Self(
            code: .unsuitableFormat,
            message: "The format is \(format.bitsPerSample)-bit \(kind) at \(format.sampleRate) Hz, "
                + "16-bit integer PCM at \(SampleFormat.minimumSampleRate) Hz or more is needed: convert it."
        )
    }
}
