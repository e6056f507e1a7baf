internal import Cryptography

extension QuotaLedger.Share {
    /// The day of a client.
    static func client(_ client: String, _ limits: ClientLimits, dayOffset: Duration) -> Self {
        Self(owner: "client/\(client)", limits: limits.daily, dayOffset: dayOffset)
    }

    /// The day of one of a client's users; the quota's name does not have to be erased, because it does not tell whose
    /// it is.
    static func user(_ user: String, of client: String, _ limits: ClientLimits, dayOffset: Duration) -> Self {
        var fields = LengthPrefixedFields()
        fields.append(client)
        fields.append(user)
        let name = SHA256.hash(of: fields.bytes).withBytes { Hex.encode($0) }
        return Self(owner: "user/" + name, limits: limits.userDaily, dayOffset: dayOffset)
    }

    /// The day of an account, which begins when the platform's does.
    static func account(_ account: Account) -> Self {
        Self(owner: "account/\(account.appKey)", limits: account.settings.daily, dayOffset: account.dayOffset)
    }
}
