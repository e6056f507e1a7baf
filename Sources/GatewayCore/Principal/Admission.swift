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

    /// Counts content that ended before its sender was proven as a guess, if no honest sender ends so.
    ///
    /// One that fills the room of unknown senders keeps it, and is slow (408) or has no end (413). One whose link broke
    /// just ends, and has given its room back: that is what mobile networks do, as often as they like. A link that stalls
    /// cannot be told from a slow sender, but stalls are long, and a guess a second comes back: dozens have to stall at
    /// the same time all the time to slow anybody. A broken form or JSON takes no room and proves nothing. A wrong
    /// signature is counted where it is seen.
    func noteUnprovenEnd(_ error: GatewayError) {
        guard case .needsBody(let request) = self, error.status == 408 || error.status == 413 else { return }
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
