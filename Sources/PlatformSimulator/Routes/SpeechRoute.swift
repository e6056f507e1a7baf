import Cryptography
import HTTPWire

/// `POST /api/v1/tts/generate`: what a request for speech must be like (contract yugu, section 6.1).
struct SpeechRoute {
    /// The largest body; the platform's limit is not documented.
    static let maximumBody = 1 << 20

    let state: PlatformState

    /// Where the order of checks ends well: content type, JSON, credentials, fields.
    ///
    /// - Parameters:
    ///   - content: What came.
    ///   - form: How the address of the file is to be written; nil for the setting.
    ///   - epoch: The resets before the request.
    func check(
        _ content: RequestContent,
        credentials: Credentials,
        form: AudioURLForm?,
        epoch: Int
    ) throws(PlatformError) -> PaidRequest {
        guard content.contentType?.essence == "application/json" else {
            throw PlatformError(415, 40_001, "Content-Type is not application/json")
        }
        guard content.byteCount <= Self.maximumBody else {
            throw PlatformError(413, 40_001, "the request is larger than 1 MiB")
        }
        let fields = try JSONFields(content.bytes, called: "the body")
        var signed = SignedText()
        signed.addMembers(of: fields.scanner)
        let caller = try credentials.verify(against: [signed], state: self.state)
        var hash = SHA256()
        hash.update("tts:")
        hash.update(content.bytes)
        return PaidRequest(
            caller: caller,
            fingerprint: hash.finalize(),
            task: .speech(try SpeechOrder(fields), form),
            epoch: epoch
        )
    }
}
