/// Who makes a request, as far as its head tells (design, section 4, step 1).
///
/// A refusal is thrown. Whoever holds an admission gets a principal out of it only with what its signature covers.
public enum Admission: Sendable {
    /// The head proves it.
    case accepted(Principal)
    /// The content proves it.
    case needsBody(SignedRequest)

    /// Whose share of memory and disk the content takes.
    var client: String {
        switch self {
        case .accepted(let principal): principal.client
        case .needsBody(let request): request.principal.client
        }
    }

    /// The principal of a request with a form.
    ///
    /// - Throws: 401/40100 when the signature is not of this form.
    public func principal(of form: ReceivedForm) throws(GatewayError) -> Principal {
        switch self {
        case .accepted(let principal): principal
        case .needsBody(let request): try request.verify(SignedText.candidates(of: form.parts))
        }
    }

    /// The principal of a request with a JSON object.
    ///
    /// - Throws: 401/40100 when the signature is not of this object.
    public func principal(of json: ReceivedJSON) throws(GatewayError) -> Principal {
        switch self {
        case .accepted(let principal): principal
        case .needsBody(let request): try request.verify(SignedText.candidates(of: json.root, in: json.scanner))
        }
    }
}
