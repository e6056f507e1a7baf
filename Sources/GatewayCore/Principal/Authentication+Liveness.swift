extension Authentication {
    /// Whether the credential that a principal came with still holds: it may have been taken back, rotated away or have
    /// ended since.
    func isCurrent(_ principal: Principal) -> Bool {
        let now = self.clock.unixMilliseconds()
        switch principal.proof {
        case .key(let hash):
            guard let client = self.clients.client(withKeyHash: hash, at: now) else { return false }
            return !client.isExpired(at: now)
        case .token(let token, let version):
            guard token.isValid(at: now), !self.revocations.contains(token),
                let client = self.clients.client(named: token.client)
            else { return false }
            return !client.isExpired(at: now) && client.versions(at: now).contains(version)
        case .signature(let versions):
            guard let client = self.clients.client(named: principal.client) else { return false }
            return !client.isExpired(at: now) && client.versions(at: now).contains(where: versions.contains)
        case nil:
            guard let client = self.clients.client(named: principal.client) else { return false }
            return !client.isExpired(at: now)
        }
    }
}
