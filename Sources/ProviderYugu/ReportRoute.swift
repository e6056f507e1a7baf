internal import GatewayCore
internal import HTTPWire
internal import Store

/// `GET /api/v1/report/{recordId}`: forwarded for records that the client owns, and for no others (contract 6.2).
struct ReportRoute: Sendable {
    let provider: YuguProvider

    var route: Route {
        Route(.get, "/api/v1/report/{recordId}") { exchange async throws(GatewayError) in
            try await self.answer(exchange)
        }
    }

    private func answer(_ exchange: Exchange) async throws(GatewayError) -> HTTPResponse {
        let principal = try self.provider.access.principal(of: exchange.head, for: .report)
        let recordID = exchange.parameter ?? ""
        let account = try self.account(of: recordID, client: principal.client)
        let url = self.provider.configuration.baseURL + "/api/v1/report/" + PercentCoding.encode(recordID)
        let fetch = UpstreamFetch(
            services: self.provider.upstream,
            account: account,
            client: principal.client,
            requestID: exchange.requestID
        )
        return try await fetch.run(
            request: { timestamp, nonce in
                var fields = HTTPFields()
                fields.append(.accept, "application/json")
                // The record id is a path segment and takes no part: the signed text is empty.
                fields.sign(payload: "", for: account, timestamp: timestamp, nonce: nonce)
                return HTTPTransportRequest(method: .get, url: url, fields: fields)
            },
            classify: YuguAnswer.classifyEnvelope
        )
    }

    /// The account that carried the record's call.
    ///
    /// Foreign and unknown ids get one and the same answer.
    private func account(of recordID: String, client: String) throws(GatewayError) -> Account {
        let appKey: String?
        do {
            appKey = try self.provider.store.recordOwner(recordID, client: client, user: nil)?.appKey
        } catch {
            throw .storeUnavailable
        }
        guard let appKey, let account = self.provider.accounts.first(where: { $0.appKey == appKey }) else {
            throw .invalid("There is no such record.")
        }
        return account
    }
}
