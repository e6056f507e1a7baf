/// The credential of an `Authorization` value (RFC 6750, section 2.1).
enum BearerCredential {
    /// What follows `Bearer`; nil when the value is of another form, or too long to be one of ours.
    static func text(in authorization: String) -> String? {
        let bytes = authorization.utf8
        let scheme = bytes.prefix { $0 != UInt8(ascii: " ") }
        let credential = bytes[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
        guard scheme.elementsEqual("bearer".utf8, by: { $0 | 0x20 == $1 }), !credential.isEmpty,
            credential.count <= AccessToken.maximumLength, !credential.contains(UInt8(ascii: " "))
        else { return nil }
        return String(Substring(credential))
    }
}
