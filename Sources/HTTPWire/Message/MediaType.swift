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
        var rest = Array(text.utf8)[...]
        guard let type = ParameterList.token(&rest), rest.popFirst() == ASCII.slash,
            let subtype = ParameterList.token(&rest),
            let parameters = ParameterList.parse(rest, backslash: .quotedPair)
        else { return nil }
        self.type = HTTPToken.lowercased(type)
        self.subtype = HTTPToken.lowercased(subtype)
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
