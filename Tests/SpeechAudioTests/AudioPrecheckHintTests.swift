import SpeechAudio
import Testing

@Suite struct AudioPrecheckHintTests {
    struct Hint: Sendable {
        var fileName: String?
        var contentType: String?
        var isHeaderless: Bool
    }

    static let hints: [Hint] = [
        Hint(isHeaderless: false),
        Hint(fileName: "a.pcm", isHeaderless: true),
        Hint(fileName: "A.B.RAW", isHeaderless: true),
        Hint(fileName: ".pcm", isHeaderless: false),
        Hint(fileName: "pcm", isHeaderless: false),
        Hint(fileName: "a.wav", isHeaderless: false),
        Hint(fileName: "a.mp3", contentType: "audio/pcm", isHeaderless: true),
        Hint(fileName: "a.pcm", contentType: "application/octet-stream", isHeaderless: true),
        Hint(fileName: "a.pcm", contentType: "", isHeaderless: true),
        Hint(fileName: "a.pcm", contentType: "audio/mpeg", isHeaderless: false),
        Hint(contentType: "audio/PCM ; rate=16000", isHeaderless: true),
        Hint(contentType: "audio/x-raw", isHeaderless: true),
        Hint(contentType: "audio/L16;rate=16000", isHeaderless: false),
        Hint(contentType: "audio/wav", isHeaderless: false),
    ]

    @Test(arguments: Self.hints) func onlyWhatIsSaidToBeHeaderlessIs(_ hint: Hint) {
        let format = SampleFormat(channels: 2, sampleRate: 48_000, bitsPerSample: 16)
        #expect(
            AudioPrecheck.Input(fileName: hint.fileName, contentType: hint.contentType, stating: format)
                == (hint.isHeaderless ? .headerlessUpload(format) : .upload)
        )
        // Without a format nothing can be measured.
        #expect(
            AudioPrecheck.Input(fileName: hint.fileName, contentType: hint.contentType, stating: nil) == .upload
        )
    }
}
