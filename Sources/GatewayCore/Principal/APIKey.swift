public import Cryptography

/// An API key: `sg_` and 32 random bytes in URL-safe Base64.
///
/// Only its hash is ever stored.
public enum APIKey {
    private static let prefix = "sg_"

    /// Makes a key; its text is shown once and kept nowhere.
    public static func make() -> (text: String, hash: Digest256) {
        let text = Self.prefix + Base64.encode(SecureRandom.bytes(count: 32), as: .urlSafe)
        return (text, Self.hash(of: text))
    }

    /// The hash under which a key is stored and found.
    public static func hash(of text: String) -> Digest256 {
        SHA256.hash(of: text)
    }

    /// The key in an `Authorization` value, or nil when it holds none (RFC 6750, section 2.1).
    static func bearer(in authorization: String) -> String? {
        let bytes = authorization.utf8
        let scheme = bytes.prefix { $0 != UInt8(ascii: " ") }
        let token = bytes[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
        guard scheme.elementsEqual("bearer".utf8, by: { $0 | 0x20 == $1 }), token.starts(with: Self.prefix.utf8),
            token.count <= 128, !token.contains(UInt8(ascii: " "))
        else { return nil }
        return String(Substring(token))
    }
}
