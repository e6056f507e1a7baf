/// What the head of a form-data part says (RFC 7578, section 4).
public struct MultipartPartHead: Hashable, Sendable {
    /// The name of the form field, decoded.
    public let name: String
    /// The file name, decoded; nil when there is none.
    ///
    /// `filename*` is not looked at (RFC 7578, section 4.2).
    public let filename: String?
    /// The value of Content-Type as received; nil when there is none.
    public let contentType: String?

    /// Makes a head.
    public init(name: String, filename: String? = nil, contentType: String? = nil) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
    }

    /// Reads the fields of a part.
    init(_ fields: HTTPFields) throws(MultipartError) {
        guard let disposition = fields.rawValue(of: .contentDisposition) else { throw .missingName }
        guard fields.count(of: .contentDisposition) == 1, fields.count(of: .contentType) <= 1 else {
            throw .malformedPartHead("a field comes twice.")
        }
        for encoding in fields.values(of: Self.contentTransferEncoding) {
            // These three are no encodings; the others would change what the bytes mean (RFC 7578, section 4.7).
            guard ["7bit", "8bit", "binary"].contains(encoding.lowercased()) else { throw .encodedPart }
        }
        let (name, filename) = try Self.names(in: disposition)
        self.init(name: name, filename: filename, contentType: fields[.contentType])
    }

    private static let contentTransferEncoding = HTTPField.Name(literal: "Content-Transfer-Encoding")

    private static func names(
        in disposition: ArraySlice<UInt8>
    ) throws(MultipartError) -> (name: String, filename: String?) {
        var rest = disposition
        guard let kind = ParameterList.token(&rest), HTTPToken.equals(kind, "form-data") else {
            throw .missingName
        }
        guard let parameters = ParameterList.parse(rest, backslash: .formData) else {
            throw .malformedPartHead("Content-Disposition has malformed or repeated parameters.")
        }
        guard let name = parameters.first(where: { $0.name == "name" }) else { throw .missingName }
        // A name is compared and signed, and must not be guessed; a file name only has to be shown.
        guard let text = String(validating: self.unescaped(name.value), as: UTF8.self) else {
            throw .malformedPartHead("the name is not UTF-8.")
        }
        let filename = parameters.first { $0.name == "filename" }
        return (text, filename.map { String(decoding: self.unescaped($0.value), as: UTF8.self) })
    }

    /// Undoes the three escapes of the HTML standard, and no other: a percent sign stands for itself otherwise.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard bytes.contains(ASCII.percent) else { return bytes }
        var result: ArraySlice<UInt8> = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let isEscape = bytes[index] == ASCII.percent && index + 2 < bytes.endIndex
            switch isEscape ? (bytes[index + 1], HTTPToken.lowercased(bytes[index + 2])) : (0, 0) {
            case (UInt8(ascii: "2"), UInt8(ascii: "2")): result.append(ASCII.quote)
            case (UInt8(ascii: "0"), UInt8(ascii: "d")): result.append(ASCII.carriageReturn)
            case (UInt8(ascii: "0"), UInt8(ascii: "a")): result.append(ASCII.lineFeed)
            default:
                result.append(bytes[index])
                index += 1
                continue
            }
            index += 3
        }
        return result
    }
}
