extension WriterConnection {
    func addClient(_ client: NewClient) throws(StoreError) {
        let taken = try self.statements.findClient.first {
            $0.bind(client.name, at: 1)
            $0.bind(client.keyHash, at: 2)
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
        guard client.scopes.allSatisfy({ !$0.isEmpty && !$0.contains(" ") }) else {
            throw StoreError(code: .invalid, message: "a scope is empty or contains a space")
        }
        try self.statements.insertClient.run {
            $0.bind(client.name, at: 1)
            $0.bind(client.keyHash, at: 2)
            $0.bind(client.scopes.joined(separator: " "), at: 3)
            $0.bind(client.createdAt, at: 4)
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
