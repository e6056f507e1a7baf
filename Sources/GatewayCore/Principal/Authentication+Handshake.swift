internal import HTTPWire
internal import Store

extension Authentication {
    /// Finds out who opens a WebSocket connection: by its query, as clients do that cannot set fields, or by
    /// `Authorization`.
    ///
    /// Other than on REST a signature covers time and nonce, so it is good once.
    ///
    /// - Throws: As ``admit(_:from:)``.
    func admit(
        handshake head: HTTPRequestHead,
        query: HandshakeQuery,
        from address: String
    ) async throws(GatewayError) -> Principal {
        guard !head.fields.contains(.xSignature) else {
            throw .invalid("A WebSocket handshake is signed in its query (appKey, timestamp, nonce, signature).")
        }
        let hasField = head.fields.contains(.authorization)
        switch (hasField, query["token"], query.isSigned) {
        case (false, nil, false): throw .noHandshakeCredential
        case (true, nil, false):
            // Without a signature, this is always the principal itself.
            guard case .accepted(let principal) = try self.admit(head, from: address) else { throw .unauthorized }
            return principal
        case (false, let token?, false): return try self.bearer(token: token, head: head, address: address)
        case (false, nil, true): return try await self.signer(query, head: head, address: address)
        default:
            throw .invalid("Send one credential: token or a signature in the query, or Authorization.")
        }
    }

    private func bearer(token: String, head: HTTPRequestHead, address: String) throws(GatewayError) -> Principal {
        guard !APIKey.isMeant(by: token) else {
            // It would be no secret for long: proxies and browsers write addresses down.
            throw .badSignature("An API key does not belong into an address; send it in Authorization, or use a token.")
        }
        return try self.bearer(token, head: head, address: address)
    }

    private func signer(
        _ query: HandshakeQuery,
        head: HTTPRequestHead,
        address: String
    ) async throws(GatewayError) -> Principal {
        guard let appKey = query["appKey"], let timestamp = query["timestamp"], let nonce = query["nonce"],
            let signature = query["signature"]
        else {
            throw .badSignature("A signed handshake needs appKey, timestamp, nonce and signature in its query.")
        }
        let parts = SignatureParts(
            appKey: appKey,
            timestamp: timestamp,
            nonce: nonce,
            signature: signature,
            names: .query
        )
        let request = try self.signedRequest(parts, head: head, address: address)
        try request.check(query.payloads)
        try await self.spend(nonce, of: request.principal.client, signedAt: timestamp)
        try self.limiter.countRequest(of: request.principal)
        return request.principal
    }

    /// Notes a nonce on disk, for as long as a handshake with its time would be accepted: a restart opens no window
    /// (design, section 4, step 2).
    private func spend(_ nonce: String, of client: String, signedAt timestamp: String) async throws(GatewayError) {
        let isNew: Bool
        do throws(StoreError) {
            let window = self.signatureWindow.components.seconds
            let end = ((Int64(timestamp) ?? 0) + window + 1) * 1000
            isNew = try await self.store.spendNonce(nonce, of: client, until: end)
        } catch {
            throw .storeUnavailable
        }
        guard isNew else {
            throw .badSignature("This nonce was used before; sign every connection with a new one.")
        }
    }
}

extension GatewayError {
    fileprivate static let noHandshakeCredential = badSignature(
        "No credential; send token or a signature in the query, or Authorization: Bearer."
    )
}
