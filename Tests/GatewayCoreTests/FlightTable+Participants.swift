@testable import GatewayCore

extension FlightTable {
    /// How many requests of the tests' client wait for the flight of a key.
    func participants(of key: String) -> Int {
        guard let key = IdempotencyKey(key) else { return 0 }
        return self.participantCount(CallScope(client: "school", user: nil, key: key).hash)
    }
}
