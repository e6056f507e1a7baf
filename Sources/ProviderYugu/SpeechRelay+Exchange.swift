internal import HTTPWire

extension SpeechRelay {
    /// The request to the audio's host: of the client's fields only the range goes with it, and its condition.
    func request(_ url: String, _ reach: Reach, of clientFields: HTTPFields) -> HTTPTransportRequest {
        var fields = HTTPFields()
        fields.append(.accept, "audio/*, */*;q=0.1")
        if clientFields.count(of: .range) == 1, let range = clientFields[.range], Self.isRange(range) {
            fields.append(.range, range)
            // Without its condition a range of a file that changed would be taken for one of the file before.
            if let condition = clientFields[.ifRange] {
                if clientFields.count(of: .ifRange) == 1, condition.utf8.count <= 128 {
                    fields.append(.ifRange, condition)
                } else {
                    fields.remove(.range)
                }
            }
        }
        var request = HTTPTransportRequest(
            method: .get,
            url: url,
            fields: fields,
            timeout: self.configuration.timeout,
            maximumResponseBody: self.configuration.maximumBytes
        )
        request.isForPublicAddressesOnly = reach == .listed
        return request
    }

    /// Ranges of bytes, of a usual length; others may be ignored (RFC 9110, section 14.2).
    private static func isRange(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.count <= 128 && bytes.starts(with: "bytes=".utf8)
            && bytes.dropFirst(6).allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: ","), UInt8(ascii: " "):
                    true
                default: false
                }
            }
    }

    /// What somebody else's server says goes out under our name: audio or mere bytes, never a page.
    static func response(_ stream: HTTPTransportStream) -> HTTPResponse {
        var fields = HTTPFields()
        let type = stream.fields[.contentType].flatMap { MediaType($0) }
        let isPart = type?.essence == "multipart/byteranges"
        let isAudio = type?.type == "audio" || isPart
        fields.append(.contentType, isAudio ? stream.fields[.contentType] ?? "" : "application/octet-stream")
        for name in [HTTPField.Name.contentRange, .acceptRanges, .eTag, .lastModified] {
            if let value = stream.fields[name] { fields.append(name, value) }
        }
        fields.append(.cacheControl, "private")
        fields.append(.contentTypeOptions, "nosniff")
        var response = HTTPResponse(status: HTTPStatus(stream.status), fields: fields)
        response.stream = stream.content
        return response
    }
}

extension HTTPField.Name {
    fileprivate static let ifRange = HTTPField.Name(literal: "If-Range")
    fileprivate static let range = HTTPField.Name(literal: "Range")
    fileprivate static let contentRange = HTTPField.Name(literal: "Content-Range")
    fileprivate static let acceptRanges = HTTPField.Name(literal: "Accept-Ranges")
    fileprivate static let eTag = HTTPField.Name(literal: "ETag")
    fileprivate static let lastModified = HTTPField.Name(literal: "Last-Modified")
    fileprivate static let cacheControl = HTTPField.Name(literal: "Cache-Control")
    fileprivate static let contentTypeOptions = HTTPField.Name(literal: "X-Content-Type-Options")
}
