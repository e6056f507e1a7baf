extension WriterConnection {
    func addClient(_ client: NewClient) throws(StoreError) {
        let taken = try self.statements.findClient.first {
            $0.bind(client.name, at: 1)
            $0.bind(client.keyHash, at: 2)
            $0.bind(client.appKey, at: 3)
        } reading: {
            $0.text(at: 0) == client.name
        }
        if let sameName = taken {
            throw StoreError(
                code: .conflict,
                message: sameName
                    ? "the client \(client.name) exists or existed; names are never used twice"
                    : "another client has this key"
            )
        }
        for word in client.scopes + client.coreTypes + client.addresses where word.isEmpty || word.contains(" ") {
            throw StoreError(code: .invalid, message: "a scope, core type or address is empty or contains a space")
        }
        try self.statements.insertClient.run {
            $0.bind(client.name, at: 1)
            $0.bind(client.label, at: 2)
            $0.bind(client.keyHash, at: 3)
            $0.bind(client.appKey, at: 4)
            $0.bind(client.scopes.joined(separator: " "), at: 5)
            $0.bind(client.coreTypes.joined(separator: " "), at: 6)
            $0.bind(client.addresses.joined(separator: " "), at: 7)
            $0.bind(client.expiresAt, at: 8)
            $0.bind(client.createdAt, at: 9)
        }
    }

    func rotateClient(
        _ name: String,
        keyHash: [UInt8],
        previousUntil: Int64
    ) throws(StoreError) -> ClientRotation? {
        try self.statements.rotateClient.first {
            $0.bind(name, at: 1)
            $0.bind(keyHash, at: 2)
            $0.bind(previousUntil, at: 3)
        } reading: {
            ClientRotation(appKey: $0.optionalText(at: 0), version: Int($0.integer(at: 1)))
        }
    }

    func revokeClient(_ name: String, at now: Int64) throws(StoreError) -> Bool {
        try self.statements.revokeClient.run {
            $0.bind(name, at: 1)
            $0.bind(now, at: 2)
        }
        return self.database.changes == 1
    }
}
