public import Cryptography

/// The platform's request signature (contract yugu, section 3.3), which our own signing credentials use as well.
public enum RequestSignature {
    /// The text that is signed: non-empty parameters, sorted by name in UTF-16 order, joined without any encoding.
    public static func payload(of parameters: [(name: String, value: String)]) -> String {
        let sorted = parameters.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
        var payload = ""
        for (name, value) in sorted where !value.isEmpty {
            if !payload.isEmpty { payload += "&" }
            payload += name
            payload += "="
            payload += value
        }
        return payload
    }

    /// The signature of a payload: padded Base64 of its HMAC-SHA256.
    public static func signature(of payload: String, secretKey: Secret) -> String {
        Base64.encode(HMACSHA256.authenticationCode(for: payload, key: secretKey))
    }
}
