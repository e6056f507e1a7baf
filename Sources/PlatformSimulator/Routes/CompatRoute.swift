import Cryptography
import HTTPWire
import SpeechAudio

/// `POST /{coreType}`: what an evaluation under one of the ten names must be like (contract yugu, section 5).
struct CompatRoute {
    let state: PlatformState

    /// Where the order of checks ends well: `X-App-Key`, content, credentials, refPinyin, the other fields, audio
    /// (contract yugu, section 15).
    ///
    /// - Parameters:
    ///   - content: What came.
    ///   - epoch: The resets before the request.
    func check(
        _ name: CompatName,
        _ content: RequestContent,
        credentials: Credentials,
        epoch: Int
    ) throws(PlatformError) -> PaidRequest {
        guard credentials.appKey != nil else { throw .unauthorized }
        if let problem = content.boundaryProblem { throw .invalid(problem) }
        guard let upload = content.upload else { throw .invalid("Content-Type is not multipart/form-data") }
        if let problem = upload.problem { throw .invalid(problem) }
        // What is signed is what was sent: the members of `request` are not (contract yugu, section 3.4).
        let caller = try credentials.verify(
            against: [SignedText(upload.texts)],
            acceptsBearer: false,
            state: self.state
        )
        let form = try CompatForm(name, texts: upload.texts)
        var input = try form.input()
        let attachesAudioURL = try form.attachesAudioURL()
        let audio = try upload.checkedAudio()
        if attachesAudioURL {
            input.recordingURL = RecordingURL(
                base: self.state.configuration.recordingBase,
                mark: String(audio.digest.hex.prefix(32)),
                fileExtension: upload.audioExtension.isEmpty ? "wav" : upload.audioExtension
            )
        }
        let fingerprint = Self.fingerprint(name, upload.texts, audio: audio)
        return PaidRequest(
            caller: caller,
            fingerprint: fingerprint,
            task: .evaluation(EvaluationRecipe(fingerprint: fingerprint, input: input, audio: audio)),
            epoch: epoch
        )
    }

    /// The name, the text fields sorted by theirs, and the recording (contract yugu, section 7.2).
    private static func fingerprint(
        _ name: CompatName,
        _ texts: [EvaluateUpload.Text],
        audio: AudioFacts
    ) -> Digest256 {
        var hash = SHA256()
        hash.update("compat:\(name.rawValue):")
        // Fields of one name keep their order.
        for text in texts.enumerated().sorted(by: { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }) {
            hash.update("\(text.element.name.utf8.count):\(text.element.name)\(text.element.bytes.count):")
            hash.update(text.element.bytes)
        }
        audio.digest.withBytes { hash.update($0) }
        return hash.finalize()
    }
}
