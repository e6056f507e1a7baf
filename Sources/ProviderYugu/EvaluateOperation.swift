internal import GatewayCore
internal import HTTPWire

/// A native evaluation as the platform takes it: form A, signed over the exact config text (contract yugu, 3.4, 4.1).
///
/// Nothing is encoded before it is sent: most repetitions are replays.
struct EvaluateOperation: PaidOperation {
    let baseURL: String
    let form: EvaluateForm

    let name = "evaluate"
    let isDeduplicated = true
    var coreType: String? { self.form.coreType }

    func request(account: Account, timestamp: Int64, nonce: String, upstreamKey: String) -> HTTPTransportRequest {
        let encoder = MultipartEncoder(boundary: FormBoundary.make())
        var fields = HTTPFields()
        fields.append(.accept, "application/json")
        fields.append(.contentType, encoder.contentType)
        fields.append(.idempotencyKey, upstreamKey)
        fields.sign(payload: Self.payload(of: self.form), for: account, timestamp: timestamp, nonce: nonce)
        return HTTPTransportRequest(
            method: .post,
            url: self.baseURL + EvaluateRoute.path,
            fields: fields,
            body: Self.encode(self.form, with: encoder)
        )
    }

    func classify(_ response: HTTPTransportResponse) -> PlatformAnswer {
        YuguAnswer.classifyEvaluation(response)
    }

    /// All text parts are signed; in form A `config` is one of them.
    private static func payload(of form: EvaluateForm) -> String {
        RequestSignature.payload(
            of: form.form.parts.compactMap { part in
                let isText = !EvaluateForm.fileParts.contains(part.name)
                return isText ? (part.name, String(decoding: part.text, as: UTF8.self)) : nil
            }
        )
    }

    /// The canonical form: config, other fields, audio, image; each part's content untouched.
    ///
    /// Plain texts have neither file name nor type (contract yugu, section 4.1): a charset could change what was signed.
    private static func encode(_ form: EvaluateForm, with encoder: MultipartEncoder) -> [HTTPBodySegment] {
        var segments: [HTTPBodySegment] = []
        segments.reserveCapacity(3 * form.form.parts.count + 1)
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
