import EventLoop
import HTTPWire

/// What a request says about who it is from (contract yugu, section 3).
struct Credentials {
    let appKey: String?
    let timestamp: String?
    let nonce: String?
    let signature: String?
    let bearer: String?

    /// Reads the fields of a head.
    init(_ fields: HTTPFields) {
        self.appKey = fields[Self.appKeyField]
        self.timestamp = fields[Self.timestampField]
        self.nonce = fields[Self.nonceField]
        self.signature = fields[Self.signatureField]
        let authorization = fields[.authorization]
        let isBearer = authorization?.prefix(7).lowercased() == "bearer "
        self.bearer = isBearer ? authorization.map { String($0.dropFirst(7)) } : nil
    }

    private static let appKeyField = HTTPField.Name(literal: "X-App-Key")
    private static let timestampField = HTTPField.Name(literal: "X-Timestamp")
    private static let nonceField = HTTPField.Name(literal: "X-Nonce")
    private static let signatureField = HTTPField.Name(literal: "X-Signature")

    /// Checks them, and takes the nonce.
    ///
    /// - Parameter texts: The texts of which one must be signed.
    /// - Returns: The appKey of the account.
    /// - Throws: 401 with the code for what is wrong.
    func verify(
        against texts: [SignedText],
        state: PlatformState
    ) throws(PlatformError) -> String {
        let configuration = state.configuration
        if let bearer = self.bearer {
            guard bearer == configuration.bearerToken, let account = configuration.accounts.first else {
                throw .badToken
            }
            return account.appKey
        }
        guard let appKey = self.appKey, let timestamp = self.timestamp, let signature = self.signature else {
            throw .unauthorized
        }
        guard let secret = state.withLock({ $0.accounts[appKey] }) else { throw .unknownKey }
        let window = Int(configuration.timestampWindow.components.seconds)
        guard let second = Int(timestamp), abs(state.unixSeconds.subtractingReportingOverflow(second).0) <= window,
            texts.contains(where: { $0.isSigned(by: signature, secret: secret) })
        else { throw .badSignature }
        if let nonce = self.nonce {
            let isNew = state.withLock { $0.nonces.insert(nonce, tenant: appKey, now: .now) }
            guard isNew else { throw .badSignature }
        }
        return appKey
    }
}
