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

    /// Whether a bearer credential is meant as an API key.
    static func isMeant(by credential: String) -> Bool {
        credential.utf8.starts(with: Self.prefix.utf8) && credential.utf8.count <= 128
    }
}
