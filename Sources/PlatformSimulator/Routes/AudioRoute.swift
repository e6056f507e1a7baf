import HTTPWire

/// `GET /tts/audio/{file}`: the files of made speech, for anyone who knows their names (contract yugu, section 6.1).
struct AudioRoute {
    let state: PlatformState

    /// The file, which is a WAV file whatever its name ends with; Content-Type says so.
    func reply(_ fileName: String, _ fields: HTTPFields) throws(PlatformError) -> Reply {
        guard let speech = self.state.withLock({ $0.speeches[fileName] }) else {
            throw PlatformError(404, 40_400, "no such file")
        }
        let file = SpeechTones(speech.order).file()
        // A file never changes, and no two have one name.
        let eTag = "\"\(fileName)\""
        var reply: Reply
        switch ByteRange(fields, eTag: eTag, count: file.count) {
        case .whole:
            reply = Reply(status: 200, body: file)
        case .part(let range):
            reply = Reply(status: 206, body: Array(file[range]))
            reply.fields.append(.contentRange, "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)")
        case .unsatisfiable:
            reply = Reply(status: 416, body: [])
            reply.fields.append(.contentRange, "bytes */\(file.count)")
        }
        reply.fields.append(.acceptRanges, "bytes")
        reply.fields.append(.eTag, eTag)
        reply.contentType = "audio/wav"
        return reply
    }
}

extension HTTPField.Name {
    fileprivate static let contentRange = HTTPField.Name(literal: "Content-Range")
    fileprivate static let acceptRanges = HTTPField.Name(literal: "Accept-Ranges")
    fileprivate static let eTag = HTTPField.Name(literal: "ETag")
}
