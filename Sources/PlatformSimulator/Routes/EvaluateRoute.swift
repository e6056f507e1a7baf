import Cryptography
import HTTPWire
import SpeechAudio

/// `POST /api/v1/evaluate`: what a native evaluation must be like (contract yugu, section 4).
struct EvaluateRoute {
    let state: PlatformState

    /// Where the order of checks ends well: content type, config part, its type, JSON, credentials, coreType,
    /// referenceText, audio (contract yugu, section 15).
    ///
    /// - Parameters:
    ///   - content: What came.
    ///   - epoch: The resets before the request.
    func check(
        _ content: RequestContent,
        credentials: Credentials,
        epoch: Int
    ) throws(PlatformError) -> PaidRequest {
        if let problem = content.boundaryProblem { throw .invalid(problem) }
        guard let upload = content.upload else {
            throw PlatformError(415, 40_001, "Content-Type is not multipart/form-data")
        }
        if let problem = upload.problem { throw .invalid(problem) }
        guard let head = upload.configHead else { throw .invalid("the config part is missing") }
        let type = head.contentType.flatMap { MediaType($0) }
        guard type?.essence == "application/json" else {
            throw PlatformError(415, 40_001, "the config part is not application/json")
        }
        let config = try ConfigPart(upload.config)
        let texts = self.signedTexts(upload, head: head, config: config)
        let caller = try credentials.verify(against: texts, state: self.state)
        var input = try config.input()
        let audio = try upload.checkedAudio()
        if input.coreType == .open, input.taskType == "picture" { input.picture = try upload.checkedPicture() }
        let fingerprint = Self.fingerprint(config: upload.config, audio: audio, image: upload.image?.digest)
        return PaidRequest(
            caller: caller,
            fingerprint: fingerprint,
            task: .evaluation(EvaluationRecipe(fingerprint: fingerprint, input: input, audio: audio)),
            epoch: epoch
        )
    }

    /// Form A signs the text of config, form B its members; where config has a filename it is no form parameter, and
    /// only form B applies (contract yugu, section 3.4).
    private func signedTexts(
        _ upload: EvaluateUpload,
        head: MultipartPartHead,
        config: ConfigPart
    ) -> [SignedText] {
        let fields = SignedText(upload.texts)
        var formB = fields
        formB.addMembers(of: config.scanner)
        guard head.filename == nil else { return [formB] }
        var formA = fields
        formA.add("config", String(decoding: upload.config, as: UTF8.self))
        return [formA, formB]
    }

    private static func fingerprint(config: [UInt8], audio: AudioFacts, image: Digest256?) -> Digest256 {
        var hash = SHA256()
        hash.update("native:\(config.count):")
        hash.update(config)
        audio.digest.withBytes { hash.update($0) }
        image?.withBytes { hash.update($0) }
        return hash.finalize()
    }
}

extension SignedText {
    /// The text parts of a form.
    init(_ texts: [EvaluateUpload.Text]) {
        self.init()
        for text in texts { self.add(text.name, text.string) }
    }
}

extension EvaluateUpload {
    /// The recording, which must be there and of a length that can be scored.
    func checkedAudio() throws(PlatformError) -> AudioFacts {
        guard let audio = self.audio, audio.byteCount > 0 else {
            throw .invalid("the audio part is missing or empty")
        }
        guard !audio.hasExactDuration || audio.duration >= 1 else { throw .invalid("the audio is shorter than 1 s") }
        return audio
    }

    /// The picture of a picture task: PNG or JPEG, by its type and by its first bytes.
    ///
    /// Whether the platform demands one is not documented; without, the answer is judged as not grounded in a picture.
    func checkedPicture() throws(PlatformError) -> Digest256? {
        guard let image = self.image else { return nil }
        let isPNG = image.start.elementsEqual([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let isJPEG = image.start.starts(with: [0xFF, 0xD8, 0xFF])
        switch image.contentType.flatMap({ MediaType($0) })?.essence {
        case "image/png" where isPNG, "image/jpeg" where isJPEG: return image.digest
        case "image/png", "image/jpeg": throw .invalid("the image is not what its type says")
        default: throw .invalid("the image is neither image/png nor image/jpeg")
        }
    }
}
