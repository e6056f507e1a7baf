internal import HTTPWire

/// What a flight ends with, the same for everyone who waits for it.
enum FlightResult: Sendable {
    /// A result, from the platform or from the store.
    case answered(Answer, details: AnswerDetails)
    /// A refusal of the platform, passed on as it came.
    case passed(HTTPResponse)
    /// A refusal or failure of ours.
    case failed(GatewayError)
    /// A refusal that concerns the request alone whose call it is; the others may send theirs again.
    case refused(GatewayError)
}

/// A result as every participant gets it, byte for byte.
struct Answer: Sendable {
    let status: Int
    let contentType: String
    let body: [UInt8]
}

/// What an answer carries beside its stored bytes.
struct AnswerDetails: Sendable {
    /// Taken from the store: a replay even for the request that asked first.
    var isReplay = false
    /// The platform's id of the record.
    var recordID: String?
    /// False while the answer waits to be written.
    var isStored = true
    /// Requests sent; zero for a replay.
    var attempts = 0
    /// The platform's trace id.
    var traceID: String?
}

extension FlightResult {
    /// The answer for one participant (design, section 4, step 5, and section 7).
    ///
    /// - Parameter isOwner: Whether the call is this request's own.
    func response(isOwner: Bool) throws(GatewayError) -> HTTPResponse {
        switch self {
        case .failed(let error):
            throw error
        case .refused(let error):
            throw isOwner ? error : .inProgress
        case .passed(let response):
            return response
        case .answered(let answer, let details):
            var fields = HTTPFields()
            fields.append(.contentType, answer.contentType)
            if details.isReplay || !isOwner { fields.append(.idempotencyReplayed, "true") }
            if details.attempts > 0 { fields.append(.attempts, String(details.attempts)) }
            if !details.isStored { fields.append(.stored, "no") }
            if let traceID = details.traceID { fields.append(.xTraceID, traceID) }
            return HTTPResponse(status: HTTPStatus(answer.status), fields: fields, body: answer.body)
        }
    }
}
