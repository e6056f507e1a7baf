import HTTPWire

/// `GET /api/v1/report/{recordId}` (contract yugu, section 6.2).
struct ReportRoute {
    let state: PlatformState

    /// The report of an evaluation of the same account, native or compat.
    func reply(_ recordID: String, credentials: Credentials) throws(PlatformError) -> Reply {
        let caller = try credentials.verify(against: [SignedText()], state: self.state)
        let recipe = self.state.withLock { $0.shelf.record(recordID, account: caller.appKey) }
        guard let recipe else { throw .invalid("no such record") }
        let rendered = self.state.rendering(of: recipe)
        var reply = Reply(
            status: 200,
            body: rendered.report(recordID: recordID, timestamp: self.state.unixMilliseconds)
        )
        reply.recordID = recordID
        return reply
    }
}
