internal import Cryptography

/// Boundaries of the forms that we send.
enum FormBoundary {
    /// A boundary with 128 random bits: no recording holds it by accident, and none can hold it on purpose.
    static func make() -> String {
        "----SpeechGateFormBoundary" + Hex.encode(SecureRandom.bytes(count: 16))
    }
}
