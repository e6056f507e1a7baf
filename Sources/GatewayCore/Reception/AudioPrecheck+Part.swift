internal import HTTPWire
internal import SpeechAudio

extension AudioPrecheck {
    /// A precheck of a part that begins.
    ///
    /// Samples without a header are judged if the part's type states their rate: `audio/pcm; rate=16000`, and if they
    /// are other than mono and 16-bit, `channels` and `bits`. No rate is guessed.
    init(_ head: MultipartPartHead) {
        let type = head.contentType.flatMap { MediaType($0) }
        func number(_ parameter: String) -> Int? { type?[parameter].flatMap { Int($0) } }
        let format = number("rate").map { rate in
            SampleFormat(channels: number("channels") ?? 1, sampleRate: rate, bitsPerSample: number("bits") ?? 16)
        }
        self.init(Input(fileName: head.filename, contentType: head.contentType, stating: format))
    }
}
