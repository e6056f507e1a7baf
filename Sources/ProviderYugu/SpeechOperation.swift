internal import GatewayCore
internal import HTTPWire

/// A request for speech as the platform takes it: the exact bytes that came, signed over their scalars.
struct SpeechOperation: PaidExchange {
    let baseURL: String
    let body: SpeechBody
    /// Gives the address of an audio as the caller gets it, from an absolute one.
    let address: @Sendable (String) -> String

    let name = "tts"
    let isDeduplicated = true
    var coreType: String? { nil }

    func request(account: Account, timestamp: Int64, nonce: String, upstreamKey: String) -> HTTPTransportRequest {
        var fields = HTTPFields()
        fields.append(.accept, "application/json")
        fields.append(.contentType, "application/json")
        fields.append(.idempotencyKey, upstreamKey)
        fields.sign(payload: self.body.payload, for: account, timestamp: timestamp, nonce: nonce)
        return HTTPTransportRequest(
            method: .post,
            url: self.baseURL + SpeechRoute.path,
            fields: fields,
            body: [.bytes(self.body.json.bytes)]
        )
    }

    func classify(_ response: HTTPTransportResponse) -> PlatformAnswer {
        YuguAnswer.classifyEnvelope(response)
    }

    /// The platform's bytes with an `audioUrl` that leads to the audio.
    func content(of response: HTTPTransportResponse) -> [UInt8] {
        SpeechAudioURL.replacing(in: response.body) {
            self.address(SpeechAudioURL.absolute($0, baseURL: self.baseURL))
        }
    }
}
