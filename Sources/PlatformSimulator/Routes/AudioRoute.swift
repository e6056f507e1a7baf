import HTTPWire

/// `GET /tts/audio/{file}`: the files of made speech, for anyone who knows their names (contract yugu, section 6.1).
struct AudioRoute {
    let state: PlatformState

    /// The file, which is a WAV file whatever its name ends with; Content-Type says so.
    func reply(_ fileName: String) throws(PlatformError) -> Reply {
        guard let speech = self.state.withLock({ $0.speeches[fileName] }) else {
            throw PlatformError(404, 40_400, "no such file")
        }
        var reply = Reply(status: 200, body: SpeechTones(speech.order).file())
        reply.contentType = "audio/wav"
        return reply
    }
}
