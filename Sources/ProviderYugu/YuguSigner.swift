public import Cryptography

/// The platform's request signature (contract yugu, section 3.3).
public enum YuguSigner {
    /// The text that is signed: non-empty parameters, sorted by name in UTF-16 order, joined without any encoding.
    public static func payload(of parameters: [(name: String, value: String)]) -> String {
        parameters
            .filter { !$0.value.isEmpty }
            .sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
            .map { "\($0.name)=\($0.value)" }
            .joined(separator: "&")
    }

    /// The signature of a payload: padded Base64 of its HMAC-SHA256.
    public static func signature(of payload: String, secretKey: Secret) -> String {
        Base64.encode(HMACSHA256.authenticationCode(for: Array(payload.utf8), key: secretKey))
    }
}
