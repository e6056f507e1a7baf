internal import HTTPWire

extension Exchange {
    /// Reads the request's JSON body to its end.
    ///
    /// - Parameters:
    ///   - limit: The largest body in bytes; all of it stays in memory.
    ///   - storage: Whose memory it takes.
    ///   - admission: What the head tells of who sends it.
    /// - Returns: The body, and whose it is.
    /// - Throws: 415 for another content type, 413 for more bytes, 400 for a body that is no JSON object or has a member
    ///   twice, 401 for one that is not what was signed, 408, 503.
    public func receiveJSON(
        limit: Int,
        storage: BodyStorage,
        admission: Admission
    ) async throws(GatewayError) -> (json: ReceivedJSON, principal: Principal) {
        try self.requireJSON()
        let declared = self.declaredLength
        guard declared ?? 0 <= limit else { throw .tooLarge(limit: limit) }
        let reception: JSONReception
        switch admission {
        case .accepted(let principal):
            reception = JSONReception(try storage.reserveText(declared ?? 0, of: BodyOwner(principal)))
        case .needsBody(let request):
            let room = try storage.reserveUnproven(from: request.address, claiming: request.principal.client)
            reception = JSONReception(room, unproven: storage.configuration.unprovenTimeout)
        }
        let json: ReceivedJSON
        do throws(GatewayError) {
            defer { self.trace.receivedBytes = reception.bytes.count }
            try await self.read(into: reception, limit: limit)
            reception.finish()
            json = try ReceivedJSON(reception.bytes, digest: storage.makeDigest())
        } catch {
            admission.noteUnprovenEnd(error)
            throw error
        }
        let principal = try admission.principal(of: json)
        self.trace.note(principal)
        guard case .needsBody = admission else { return (json.holding(reception.room), principal) }
        return (json.holding(try storage.reserveText(json.bytes.count, of: BodyOwner(principal))), principal)
    }

    private func requireJSON() throws(GatewayError) {
        guard self.head.fields.count(of: .contentType) == 1,
            let type = self.head.fields[.contentType].flatMap({ MediaType($0) }), type.essence == "application/json",
            // JSON is UTF-8 (RFC 8259, section 8.1), whatever a parameter says.
            type["charset"].map({ $0.lowercased() == "utf-8" }) ?? true
        else { throw .unsupportedMediaType("Send JSON in UTF-8 with one Content-Type: application/json.") }
    }
}
