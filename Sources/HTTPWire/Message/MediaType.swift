/// A media type with its parameters (RFC 9110, section 8.3.1).
public struct MediaType: Hashable, Sendable {
    /// A parameter; its name is in lower case, its value as received without quotes.
    public struct Parameter: Hashable, Sendable {
        /// The name in lower case.
        public let name: String
        /// The value.
        public let value: String
    }

    /// The type in lower case, for instance `application`.
    public let type: String
    /// The subtype in lower case, for instance `json`.
    public let subtype: String
    /// The parameters in order; no name comes twice.
    public let parameters: [Parameter]

    /// Reads `type/subtype; name=value`, or returns nil when the text is outside the grammar.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        var index = 0
        guard let type = ParameterList.token(bytes, &index), index < bytes.count, bytes[index] == ASCII.slash else {
            return nil
        }
        index += 1
        guard let subtype = ParameterList.token(bytes, &index),
            let parameters = ParameterList.parse(bytes, from: index, backslash: .quotedPair)
        else { return nil }
        self.type = String(decoding: type.map(HTTPToken.lowercased), as: UTF8.self)
        self.subtype = String(decoding: subtype.map(HTTPToken.lowercased), as: UTF8.self)
        self.parameters = parameters.map {
            Parameter(name: $0.name, value: String(decoding: $0.value, as: UTF8.self))
        }
    }

    /// Type and subtype without parameters, for instance `application/json`.
    public var essence: String { "\(self.type)/\(self.subtype)" }

    /// The value of a parameter, or nil.
    ///
    /// - Parameter name: In lower case.
    public subscript(_ name: String) -> String? {
        self.parameters.first { $0.name == name }?.value
    }
}
