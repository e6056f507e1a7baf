internal import Cryptography
internal import HTTPWire

/// Finds out who makes a request, from its head alone (design, section 4, steps 1 and 2).
struct Authentication: Sendable {
    let clients: ClientDirectory

    /// - Throws: 401/40100 without a valid key; 400/40001 for a malformed user.
    func principal(of head: HTTPRequestHead) throws(GatewayError) -> Principal {
        guard head.fields.count(of: .authorization) == 1,
            let key = head.fields[.authorization].flatMap(APIKey.bearer),
            let client = self.clients.client(withKeyHash: APIKey.hash(of: key))
        else { throw .unauthorized }
        let users = head.fields.values(of: .speechGateUser)
        guard users.count <= 1, users.allSatisfy(UserID.isValid) else {
            throw .invalid("SpeechGate-User must be one value of 1 to 128 letters, digits or . _ : @ -")
        }
        return Principal(client: client.name, user: users.first, scopes: client.scopes)
    }
}
