/// Why multipart content is refused.
public enum MultipartError: Error, Hashable, Sendable {
    /// The Content-Type is not multipart/form-data.
    case notFormData
    /// The Content-Type names no boundary, or none that is allowed.
    case invalidBoundary
    /// The content has ended, and the boundary never came.
    case boundaryNotFound
    /// The content has ended before the closing delimiter.
    case truncated
    /// A delimiter is followed by something else than CRLF or two hyphens.
    case malformedDelimiter
    /// The head of a part is outside the grammar; the text says how.
    case malformedPartHead(String)
    /// A part has no Content-Disposition of form-data with a name.
    case missingName
    /// A part is encoded in a way that RFC 7578 has no use for.
    case encodedPart
    /// The head of a part is too large.
    case partHeadTooLarge
    /// There are too many parts.
    case tooManyParts
    /// Too much stands in front of the first delimiter, or behind the last one.
    case strayBytes

    /// What is wrong and what to do about it, in one sentence without any byte of the content.
    public var message: String {
        switch self {
        case .notFormData: "The Content-Type is not multipart/form-data."
        case .invalidBoundary: "The Content-Type has no valid boundary parameter of 1 to 70 characters."
        case .boundaryNotFound: "The content does not hold the boundary that the Content-Type names."
        case .truncated: "The content ends before the closing boundary line."
        case .malformedDelimiter: "A boundary is not followed by CRLF or by two hyphens; end lines with CRLF."
        case .malformedPartHead(let reason): "The head of a part is malformed: \(reason)"
        case .missingName: "A part has no Content-Disposition: form-data with a name."
        case .encodedPart: "A part has a Content-Transfer-Encoding; send its bytes as they are."
        case .partHeadTooLarge: "The head of a part is too large."
        case .tooManyParts: "There are too many parts."
        case .strayBytes: "Too much text stands outside of the parts."
        }
    }
}
