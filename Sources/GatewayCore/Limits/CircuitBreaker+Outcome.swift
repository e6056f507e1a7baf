internal import HTTPWire

extension CircuitBreaker.Outcome {
    /// What the result of an attempt says about the route that it took.
    ///
    /// Failures are no connection, no answer in time, an answer that breaks off or is none, and a 5xx that is not a
    /// platform's considered no. What a client did wrong, and codes that are the account's business, are not.
    init(of result: UpstreamCall.Result) {
        switch result {
        case .answered, .credentialsRefused:
            self = .success
        case .coded(let response, let code):
            // Codes come with a success status too; the table knows theirs.
            let status = response.status >= 400 ? response.status : code.usualStatus
            self = code.kind == .retryable && status >= 500 ? .failure : .success
        case .codeless(let response):
            self = response.status >= 500 ? .failure : .success
        case .held:
            self = .none
        case .malformed:
            self = .failure
        case .failed(let error):
            switch error.reason {
            case .resolve, .connect, .tls, .timeout, .reset, .malformed: self = .failure
            case .tooLarge, .cancelled, .refused: self = .none
            }
        }
    }
}
