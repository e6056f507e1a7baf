import EventLoop
import HTTPWire

/// Who a request is from, once its credentials were checked.
struct Caller: Hashable, Sendable {
    /// The key of the account.
    var appKey: String
    /// Within what keys mean the same: an account by signature and the same one by token do not meet (contract yugu,
    /// section 7.2).
    var tenant: String
}

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

    /// Reads the parameters of a realtime handshake (contract yugu, section 3.5).
    init(_ query: HandshakeQuery) {
        self.appKey = query["appKey"]
        self.timestamp = query["timestamp"]
        self.nonce = query["nonce"]
        self.signature = query["signature"]
        self.bearer = query["token"]
    }

    private static let appKeyField = HTTPField.Name(literal: "X-App-Key")
    private static let timestampField = HTTPField.Name(literal: "X-Timestamp")
    private static let nonceField = HTTPField.Name(literal: "X-Nonce")
    private static let signatureField = HTTPField.Name(literal: "X-Signature")

    /// Checks them, and takes the nonce.
    ///
    /// - Parameters:
    ///   - texts: The texts of which one must be signed.
    ///   - acceptsBearer: Whether a token will do in place of a signature.
    /// - Throws: 401 with the code for what is wrong, 400 for an account that is not let in.
    func verify(
        against texts: [SignedText],
        acceptsBearer: Bool = true,
        state: PlatformState
    ) throws(PlatformError) -> Caller {
        if acceptsBearer, let bearer = self.bearer {
            guard let account = state.withLock({ $0.accounts.account(bearer: bearer) }) else { throw .badToken }
            if let code = account.keyProblem ?? account.ownerProblem { throw PlatformError(code: code) }
            // No key has a control character: what comes in a field cannot.
            return Caller(appKey: account.appKey, tenant: "token\n" + account.appKey)
        }
        guard let appKey = self.appKey, let timestamp = self.timestamp, let signature = self.signature else {
            throw .unauthorized
        }
        guard let account = state.withLock({ $0.accounts[appKey] }) else { throw .unknownKey }
        if let code = account.keyProblem { throw PlatformError(code: code) }
        let window = Int(state.configuration.timestampWindow.components.seconds)
        let difference = Int(timestamp).map { state.unixSeconds.subtractingReportingOverflow($0) }
        guard let difference, !difference.overflow, difference.partialValue.magnitude <= window.magnitude,
            texts.contains(where: { $0.isSigned(by: signature, secret: account.secretKey) })
        else { throw .badSignature }
        if let nonce = self.nonce {
            let isNew = state.withLock { $0.nonces.insert(nonce, tenant: appKey, now: .now) }
            guard isNew else { throw .badSignature }
        }
        if let code = account.ownerProblem { throw PlatformError(code: code) }
        return Caller(appKey: appKey, tenant: appKey)
    }
}
