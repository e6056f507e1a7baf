internal import Cryptography
internal import GatewayCore
internal import HTTPWire

extension HTTPFields {
    /// The signature headers of one attempt (contract yugu, section 3.2).
    ///
    /// - Parameter payload: The text to sign.
    mutating func sign(payload: String, for account: Account, timestamp: Int64, nonce: String) {
        self.append(.xAppKey, account.appKey)
        self.append(.xTimestamp, String(timestamp))
        self.append(.xNonce, nonce)
        self.append(.xSignature, RequestSignature.signature(of: payload, secretKey: account.secretKey))
    }
}
