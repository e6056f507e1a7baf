internal import GatewayCore
internal import HTTPWire

/// An evaluation as the platform takes it, signed over the exact texts that are sent (contract yugu, sections 3.4 to 5).
///
/// Nothing is encoded before it is sent: most repetitions are replays.
struct EvaluateOperation: PaidExchange {
    let baseURL: String
    let surface: EvaluateSurface
    let form: EvaluateForm
    let audioMilliseconds: Int64?

    let isDeduplicated = true
    var name: String { self.surface.operation }
    var coreType: String? { self.form.coreType }

    init(baseURL: String, surface: EvaluateSurface, form: EvaluateForm) {
        self.baseURL = baseURL
        self.surface = surface
        self.form = form
        self.audioMilliseconds = form.audioMilliseconds
    }

    func request(account: Account, timestamp: Int64, nonce: String, upstreamKey: String) -> HTTPTransportRequest {
        let encoder = MultipartEncoder(boundary: FormBoundary.make())
        var fields = HTTPFields()
        fields.append(.accept, "application/json")
        fields.append(.contentType, encoder.contentType)
        fields.append(.idempotencyKey, upstreamKey)
        fields.sign(payload: self.form.payload, for: account, timestamp: timestamp, nonce: nonce)
        return HTTPTransportRequest(
            method: .post,
            url: self.baseURL + self.surface.path,
            fields: fields,
            body: self.form.encode(with: encoder)
        )
    }

    func classify(_ response: HTTPTransportResponse) -> PlatformAnswer {
        YuguAnswer.classifyEvaluation(response, measuringAudio: self.audioMilliseconds == nil)
    }
}
