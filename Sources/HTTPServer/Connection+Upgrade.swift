internal import Cryptography
internal import HTTPWire

extension Connection {
    /// Makes the answer that opens a WebSocket connection, or the one that says that there is no room for it.
    func agreeToUpgrade(_ response: inout HTTPResponse) {
        guard let upgrade = response.upgrade else { return }
        guard !self.server.isDraining, self.server.shared.admitWebSocket() else {
            response = self.server.responder.response(
                to: HTTPRejection(
                    status: HTTPStatus(503),
                    message: "No further WebSocket can be opened; try again shortly."
                )
            )
            if !response.fields.contains(.retryAfter) { response.fields.append(.retryAfter, "1") }
            return
        }
        let handshake = upgrade.handshake.response(
            accept: WebSocketAccept.value(forKey: upgrade.handshake.key),
            subprotocol: upgrade.subprotocol
        )
        response.status = handshake.status
        for index in 0..<handshake.fields.count {
            guard let name = HTTPField.Name(handshake.fields.name(at: index)) else { continue }
            response.fields.set(name, handshake.fields.value(at: index))
        }
        self.upgrade = upgrade
    }

    /// Hands the socket over when the answer that says so is out.
    func performUpgrade() -> Bool {
        guard let upgrade = self.upgrade else { return false }
        // A client may have sent its first frames without waiting for the answer.
        let early = self.window.map { [UInt8]($0) } ?? self.pending
        self.window = nil
        self.pending = []
        self.upgrade = nil
        self.release()
        let connection = WebSocketConnection(self, upgrade)
        self.server.replace(with: connection)
        connection.open(early)
        return true
    }
}
