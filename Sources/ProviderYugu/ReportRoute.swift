internal import GatewayCore
internal import HTTPWire
internal import Store
internal import Telemetry

/// `GET /api/v1/report/{recordId}`: the platform's report on a record of the caller's (contract yugu, section 6.2).
///
/// A report that is complete is fetched once and comes out of the store from then on. Before that each request asks the
/// platform; should it not answer, the report as it was fetched last is given, marked as stale. Ids of others, and ids
/// of nobody, get one and the same answer, and the platform never hears of them.
struct ReportRoute: Sendable {
    let provider: YuguProvider

    var route: Route {
        Route(.get, "/api/v1/report/{recordId}") { exchange async throws(GatewayError) in
            try await self.answer(exchange)
        }
    }

    private func answer(_ exchange: Exchange) async throws(GatewayError) -> HTTPResponse {
        let principal = try self.provider.access.admitWithoutContent(exchange, for: .report)
        let recordID = exchange.parameter ?? ""
        let row = try self.row(of: recordID, principal)
        if let report = row.report, report.isComplete { return self.response(report, isStale: false) }
        let response: HTTPResponse
        do throws(GatewayError) {
            response = try await self.fetch(recordID, of: row, for: principal, exchange: exchange)
        } catch {
            // The platform's own refusal is news; that nothing came of the request is not.
            let isRefusal = error.origin == .upstream && error.status < 500
            guard let report = row.report, !isRefusal else { throw error }
            return self.response(report, isStale: true)
        }
        if response.status.code >= 500, let report = row.report { return self.response(report, isStale: true) }
        if (200..<300).contains(response.status.code) {
            await self.keep(response, in: row, requestID: exchange.requestID)
        }
        return response
    }

    private func row(of recordID: String, _ principal: Principal) throws(GatewayError) -> ReportRow {
        let row: ReportRow?
        do {
            row = try self.provider.store.report(recordID, client: principal.client, user: principal.user)
        } catch {
            throw .storeUnavailable
        }
        guard let row else { throw .invalid("There is no such record.") }
        return row
    }

    /// Only the account that carried the record's call may ask for its report.
    private func fetch(
        _ recordID: String,
        of row: ReportRow,
        for principal: Principal,
        exchange: Exchange
    ) async throws(GatewayError) -> HTTPResponse {
        guard let account = self.provider.accounts.account(withAppKey: row.appKey) else {
            throw .accountRefused
        }
        let url = self.provider.configuration.baseURL + "/api/v1/report/" + PercentCoding.encode(recordID)
        var fetch = UpstreamFetch(
            services: self.provider.upstream,
            account: account,
            route: .free("report"),
            principal: principal,
            requestID: exchange.requestID
        )
        fetch.trace = exchange.trace
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

    /// Stores what was fetched, unless the same is stored already.
    private func keep(_ response: HTTPResponse, in row: ReportRow, requestID: String) async {
        guard row.report?.body != response.body else { return }
        let content = ReportContent(response.body)
        if let known = row.report, content.saysTheSame(as: ReportContent(known.body)) { return }
        let report = StoredReport(
            contentType: response.fields[.contentType] ?? "application/json",
            body: response.body,
            fetchedAt: self.provider.upstream.clock.unixMilliseconds(),
            isComplete: content.isComplete
        )
        do {
            try await self.provider.store.keep(report, of: row)
        } catch {
            // The client has what it asked for, and the platform will be asked again.
            self.provider.upstream.logger.warning(
                "a report cannot be stored",
                ["request.id": .string(requestID), "store.error": .string(error.message)]
            )
        }
    }

    private func response(_ report: StoredReport, isStale: Bool) -> HTTPResponse {
        var fields = HTTPFields()
        fields.append(.contentType, report.contentType)
        let age = (self.provider.upstream.clock.unixMilliseconds() - report.fetchedAt) / 1000
        fields.append(.age, String(max(0, age)))
        if isStale { fields.append(.stale, "true") }
        return HTTPResponse(status: HTTPStatus(200), fields: fields, body: report.body)
    }
}
