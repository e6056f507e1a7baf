public import HTTPWire

extension HTTPField.Name {
    /// Names the user that a client credential acts for.
    public static let speechGateUser = HTTPField.Name(literal: "SpeechGate-User")
    /// How many requests the call cost at the platform.
    public static let attempts = HTTPField.Name(literal: "SpeechGate-Attempts")
    /// `no` when the answer could not be stored yet.
    public static let stored = HTTPField.Name(literal: "SpeechGate-Stored")
    /// `true` when the platform could not be asked and an older answer of it is given.
    public static let stale = HTTPField.Name(literal: "SpeechGate-Stale")
    static let wwwAuthenticate = HTTPField.Name(literal: "WWW-Authenticate")
}
