internal import GatewayCore
internal import HTTPWire

/// A native evaluation as the platform takes it: form A, signed over the exact config text (contract yugu, 3.4, 4.1).
struct EvaluateOperation: PaidOperation {
    private let url: String
    private let form: EvaluateForm
    private let payload: String
    private let contentType: String
    private let body: [HTTPBodySegment]

    let name = "evaluate"
    let isDeduplicated = true
    var coreType: String? { self.form.coreType }

    init(baseURL: String, form: EvaluateForm) {
        self.url = baseURL + EvaluateRoute.path
        self.form = form
        self.payload = Self.payload(of: form)
        let encoder = MultipartEncoder(boundary: FormBoundary.make())
        self.contentType = encoder.contentType
        self.body = Self.encode(form, with: encoder)
    }

    func request(account: Account, timestamp: Int64, nonce: String, upstreamKey: String) -> HTTPTransportRequest {
        var fields = HTTPFields()
        fields.append(.accept, "application/json")
        fields.append(.contentType, self.contentType)
        fields.append(.idempotencyKey, upstreamKey)
        fields.sign(payload: self.payload, for: account, timestamp: timestamp, nonce: nonce)
        return HTTPTransportRequest(method: .post, url: self.url, fields: fields, body: self.body)
    }

    func classify(_ response: HTTPTransportResponse) -> PlatformAnswer {
        YuguAnswer.classifyEvaluation(response)
    }

    /// All text parts are signed; in form A `config` is one of them.
    private static func payload(of form: EvaluateForm) -> String {
        YuguSigner.payload(
            of: form.form.parts.filter { !EvaluateForm.fileParts.contains($0.name) }
                .map { ($0.name, String(decoding: $0.text, as: UTF8.self)) }
        )
    }

    /// The canonical form: config, other fields, audio, image; each part's content untouched.
    ///
    /// Plain texts have neither file name nor type (contract yugu, section 4.1): a charset could change what was signed.
    private static func encode(_ form: EvaluateForm, with encoder: MultipartEncoder) -> [HTTPBodySegment] {
        var segments: [HTTPBodySegment] = []
        func append(_ part: ReceivedForm.Part, fileName: String?, contentType: String?) {
            let head = encoder.partHead(name: part.name, filename: fileName, contentType: contentType)
            segments.append(.bytes(head))
            segments.append(form.form.content(of: part))
            segments.append(.bytes(MultipartEncoder.partEnd))
        }
        append(form.config, fileName: nil, contentType: "application/json; charset=utf-8")
        for part in form.form.parts where part.name != "config" && !EvaluateForm.fileParts.contains(part.name) {
            append(part, fileName: nil, contentType: nil)
        }
        append(
            form.audio,
            fileName: Self.baseName(form.audio.fileName) ?? "audio.wav",
            contentType: Self.known(form.audio.contentType)
                ?? AudioMediaType.sniff(form.audio.prefix, fileName: form.audio.fileName)
        )
        if let image = form.form.part(named: "image") {
            let isJPEG = image.prefix.starts(with: [0xFF, 0xD8])
            append(
                image,
                fileName: Self.baseName(image.fileName) ?? (isJPEG ? "image.jpg" : "image.png"),
                contentType: Self.known(image.contentType) ?? (isJPEG ? "image/jpeg" : "image/png")
            )
        }
        segments.append(.bytes(encoder.closing))
        return segments
    }

    /// A type that says something, or nil.
    private static func known(_ contentType: String?) -> String? {
        guard let contentType, let type = MediaType(contentType), type.essence != "application/octet-stream" else {
            return nil
        }
        return contentType
    }

    /// The last component of a path of either kind: a backslash in front of a quote is read in two ways.
    private static func baseName(_ fileName: String?) -> String? {
        fileName?.split { $0 == "/" || $0 == "\\" }.last.map(String.init)
    }
}
