internal import HTTPWire
public import SpeechAudio

extension ReceivedForm {
    /// How long a recording is counted as; nil when its bytes do not tell.
    ///
    /// Only the file's header is read, and not even that where the precheck did it before.
    public func recordingLength(of part: Part) -> RecordingLength? {
        if let verdict = part.verdict { return verdict.length }
        return self.withOpening(of: part) { opening in
            RecordingLength(
                .init(fileName: part.fileName, contentType: part.contentType),
                opening: opening,
                fileBytes: part.count
            )
        }
    }
}

extension AudioPrecheck.Input {
    /// What the head of a part says of its content.
    ///
    /// Samples without a header are judged if the part's type states their rate: `audio/pcm; rate=16000`, and if they
    /// are other than mono and 16-bit, `channels` and `bits`. No rate is guessed.
    init(fileName: String?, contentType: String?) {
        let type = contentType.flatMap { MediaType($0) }
        func number(_ parameter: String) -> Int? { type?[parameter].flatMap { Int($0) } }
        let format = number("rate").map { rate in
            SampleFormat(channels: number("channels") ?? 1, sampleRate: rate, bitsPerSample: number("bits") ?? 16)
        }
        self.init(fileName: fileName, contentType: contentType, stating: format)
    }
}
