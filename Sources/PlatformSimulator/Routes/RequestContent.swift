import HTTPServer
import HTTPWire

/// What a request carried, received to its end.
struct RequestContent {
    private(set) var contentType: MediaType?
    /// The parts of an evaluation; nil when the content type is not multipart/form-data.
    private(set) var upload: EvaluateUpload?
    /// Why a multipart content type cannot be read, in words.
    private(set) var boundaryProblem: String?
    /// The first bytes of a body that is no upload; all of them when there are not more than are kept.
    private(set) var bytes: [UInt8] = []
    private(set) var byteCount = 0

    /// Reads a body.
    ///
    /// - Throws: 413, 408 or 400 when it does not come whole.
    init(of request: HTTPRequest, for route: Route, limit: Int) async throws(PlatformError) {
        let type = request.head.fields[.contentType]
        self.contentType = type.flatMap { MediaType($0) }
        switch route {
        case .evaluate: self.prepare(type, form: .native)
        case .compat: self.prepare(type, form: .compat)
        default: break
        }
        var isSpeech = false
        if case .speech = route { isSpeech = true }
        let plain = PlainBody(keeping: isSpeech ? SpeechRoute.maximumBody : 0)
        let consumer: any HTTPBodyConsumer = self.upload ?? plain
        do {
            try await request.body.read(into: consumer, limit: limit)
        } catch {
            switch error as? HTTPRequestBodyError {
            case .tooLarge: throw PlatformError(413, 40_001, "the request is larger than 50 MB")
            case .timedOut: throw PlatformError(408, 40_001, "the request did not arrive in time")
            default: throw .invalid("the request content is broken")
            }
        }
        self.upload?.finish()
        self.bytes = plain.bytes
        self.byteCount = self.upload?.byteCount ?? plain.byteCount
    }

    private mutating func prepare(_ contentType: String?, form: EvaluateUpload.Form) {
        guard let contentType else { return }
        do throws(MultipartError) {
            let boundary = try MultipartParser.boundary(ofContentType: contentType)
            self.upload = EvaluateUpload(boundary: boundary, form: form)
        } catch {
            self.boundaryProblem = error == .notFormData ? nil : error.message
        }
    }
}
