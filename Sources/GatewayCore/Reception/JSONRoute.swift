internal import HTTPWire

extension Exchange {
    /// Reads the request's JSON body to its end.
    ///
    /// - Parameters:
    ///   - limit: The largest body in bytes; all of it stays in memory.
    ///   - storage: Whose memory it takes.
    /// - Throws: 415 for another content type, 413 for more bytes, 400 for a body that is no JSON object or has a member
    ///   twice, 408, 503.
    public func receiveJSON(limit: Int, storage: BodyStorage) async throws(GatewayError) -> ReceivedJSON {
        try self.requireJSON()
        let declared: Int? = if case .length(let length) = self.head.framing { length } else { nil }
        guard declared ?? 0 <= limit else { throw .tooLarge(limit: limit) }
        let room = declared ?? limit
        let reservation = try storage.reserveMemory(room)
        let reception = JSONReception(reserving: declared ?? 0)
        do {
            try await self.request.body.read(into: reception, limit: limit)
        } catch let error as HTTPRequestBodyError {
            throw Self.refusal(of: error, limit: limit)
        } catch {
            throw .unexpected
        }
        return try ReceivedJSON(reception.bytes, digest: storage.makeDigest(), reservation: reservation)
    }

    private func requireJSON() throws(GatewayError) {
        guard self.head.fields.count(of: .contentType) == 1,
            let type = self.head.fields[.contentType].flatMap({ MediaType($0) }), type.essence == "application/json",
            // JSON is UTF-8 (RFC 8259, section 8.1), whatever a parameter says.
            type["charset"].map({ $0.lowercased() == "utf-8" }) ?? true
        else { throw .unsupportedMediaType("Send JSON in UTF-8 with one Content-Type: application/json.") }
    }
}
