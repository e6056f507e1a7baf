internal import HTTPWire
internal import SpeechAudio

/// Prechecks the recording of a form.
final class RecordingJudge: FormObserver {
    private let name: String
    private var precheck: AudioPrecheck?

    /// - Parameter name: The name of the part that holds the recording.
    init(of name: String) {
        self.name = name
    }

    func began(_ head: MultipartPartHead, after parts: [ReceivedForm.Part]) {
        guard head.name == self.name else { return }
        self.precheck = AudioPrecheck(.init(fileName: head.filename, contentType: head.contentType))
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        self.precheck?.update(bytes)
    }

    func ended(_ part: inout ReceivedForm.Part) {
        guard let precheck = self.precheck else { return }
        part.verdict = precheck.finish()
        self.precheck = nil
    }
}
