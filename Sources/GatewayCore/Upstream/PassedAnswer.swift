internal import HTTPWire
internal import JSONScan

/// Refusals of a platform on their way to the client.
enum PassedAnswer {
    /// A JSON answer as it came: its bytes, its status, and the fields that mean something to the client.
    ///
    /// - Parameter code: Gives the status where the platform put a refusal into a success.
    static func response(
        _ response: HTTPTransportResponse,
        code: PlatformCode? = nil,
        attempts: Int
    ) -> HTTPResponse {
        var fields = HTTPFields()
        // It was read as JSON, and is to be taken for nothing else.
        let type = response.fields[.contentType].flatMap { MediaType($0)?.essence == "application/json" ? $0 : nil }
        fields.append(.contentType, type ?? "application/json")
        for name in [HTTPField.Name.retryAfter, .xTraceID] {
            if let value = response.fields[name] { fields.append(name, value) }
        }
        fields.append(.attempts, String(attempts))
        let isSuccess = (200..<300).contains(response.status)
        let status = isSuccess ? code?.usualStatus ?? response.status : response.status
        return HTTPResponse(status: HTTPStatus(status), fields: fields, body: response.body)
    }

    /// An answer without a code: JSON passes, anything else becomes our JSON under its status.
    static func codeless(_ response: HTTPTransportResponse, attempts: Int) -> FlightResult {
        if (try? JSONScanner(response.body).validate()) != nil {
            return .passed(Self.response(response, attempts: attempts))
        }
        // What is neither success nor error, a redirection for instance, means nothing to our clients.
        let status = response.status < 400 ? 502 : response.status
        var error = GatewayError(
            status: status,
            code: GatewayCode(standingFor: status),
            origin: .upstream,
            message: "The platform answered with status \(response.status) and no explanation that can be passed on."
        )
        error.category = ErrorCategory(status: response.status)
        error.attempts = attempts
        return .failed(error)
    }
}
