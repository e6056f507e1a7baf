/// Who makes a request, as far as its head tells (design, section 4, step 1).
///
/// A refusal is thrown. Whoever holds an admission gets a principal out of it only with what its signature covers.
public enum Admission: Sendable {
    /// The head proves it.
    case accepted(Principal)
    /// The content proves it.
    case needsBody(SignedRequest)

    /// The client, or who claims to be it: good for what does not depend on whose it is.
    public var client: String {
        switch self {
        case .accepted(let principal): principal.client
        case .needsBody(let request): request.principal.client
        }
    }

    /// Counts content whose sender was not proven when it ended too early as a guess: whoever knows a public key could
    /// keep the room of unknown senders filled otherwise.
    func noteUnprovenEnd(_ error: GatewayError) {
        guard case .needsBody(let request) = self, error.status != 503 else { return }
        request.authentication.noteFailure(request.address)
    }

    /// The principal of a request with a form.
    ///
    /// - Throws: 401/40100 when the signature is not of this form.
    func principal(of form: ReceivedForm) throws(GatewayError) -> Principal {
        switch self {
        case .accepted(let principal): principal
        case .needsBody(let request): try request.verify(SignedText.candidates(of: form.parts))
        }
    }

    /// The principal of a request with a JSON object.
    ///
    /// - Throws: 401/40100 when the signature is not of this object.
    func principal(of json: ReceivedJSON) throws(GatewayError) -> Principal {
        switch self {
        case .accepted(let principal): principal
        case .needsBody(let request): try request.verify(SignedText.candidates(of: json.root, in: json.scanner))
        }
    }
}
