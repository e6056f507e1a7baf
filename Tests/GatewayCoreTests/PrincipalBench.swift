import Cryptography
import HTTPWire
import Store
import TestSupport

@testable import GatewayCore

/// A client of a store of its own, and what authenticates it.
final class PrincipalBench: Sendable {
    static let key = "sg_" + String(repeating: "k", count: 43)
    static let masters = MasterKeys(current: MasterKeysTests.master)

    let clock = ManualClock()
    let store: Store
    let clients = ClientDirectory()
    let revocations: TokenRevocations
    let access: ClientAccess
    private let configuration: ClientAccess.Configuration
    let issuer: TokenIssuer
    private let directory: TemporaryDirectory

    /// - Parameter change: What is special about the client `school`, which may do everything and sign.
    init(
        configuration: ClientAccess.Configuration = ClientAccess.Configuration(),
        _ change: (inout NewClient) -> Void = { _ in }
    ) async throws {
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(Store.Configuration(directory: self.directory.path))
        self.revocations = try TokenRevocations(store: self.store)
        self.configuration = configuration
        self.access = Self.access(self.store, self.clients, self.revocations, self.clock, configuration)
        self.issuer = TokenIssuer(
            clients: self.clients,
            masters: Self.masters,
            revocations: self.revocations,
            clock: self.clock.clock
        )
        var client = NewClient(
            name: "school",
            keyHash: APIKey.hash(of: Self.key).bytes,
            scopes: Scope.allCases.map(\.rawValue),
            createdAt: 0
        )
        client.appKey = "sgk_school"
        change(&client)
        try await self.store.addClient(client)
        try self.reload()
    }

    private static func access(
        _ store: Store,
        _ clients: ClientDirectory,
        _ revocations: TokenRevocations,
        _ clock: ManualClock,
        _ configuration: ClientAccess.Configuration
    ) -> ClientAccess {
        ClientAccess(
            configuration: configuration,
            clients: clients,
            masters: Self.masters,
            revocations: revocations,
            store: store,
            clock: clock.clock
        )
    }

    /// What remembers nothing but what the store does, as behind a restart.
    func freshAccess() -> ClientAccess {
        Self.access(self.store, self.clients, self.revocations, self.clock, self.configuration)
    }

    func reload() throws {
        self.clients.replace(with: try self.store.clients())
    }

    var now: Int64 { self.clock.clock.unixMilliseconds() }

    func close() async {
        await self.store.close()
    }

    /// A request with content, which declares its length if it does not come in chunks.
    static func exchange(
        _ fields: [(HTTPField.Name, String)],
        from address: String = "192.0.2.7",
        body: PiecewiseBody,
        isChunked: Bool = false
    ) -> Exchange {
        let framing = isChunked ? HTTPRequestHead.Framing.chunked : .length(body.bytes.count)
        let head = Self.exchange(fields, from: address, framing: framing).head
        let request = HTTPRequest(head: head, body: body, peerAddress: address)
        return Exchange(
            request: request,
            clientAddress: address,
            requestID: "r",
            parameter: nil,
            isDraining: false,
            trace: RequestTrace()
        )
    }

    static func exchange(
        _ fields: [(HTTPField.Name, String)],
        from address: String = "192.0.2.7",
        framing: HTTPRequestHead.Framing = .none,
        query: String? = nil
    ) -> Exchange {
        var all = HTTPFields()
        for (name, value) in fields { all.append(name, value) }
        let head = HTTPRequestHead(
            method: framing == .none ? .get : .post,
            target: "/",
            path: "/",
            query: query,
            authority: nil,
            version: .http11,
            fields: all,
            framing: framing,
            isPersistent: true,
            expectsContinue: false
        )
        let request = HTTPRequest(head: head, body: NoContent(), peerAddress: address)
        return Exchange(
            request: request,
            clientAddress: address,
            requestID: "r",
            parameter: nil,
            isDraining: false,
            trace: RequestTrace()
        )
    }

    /// Status and code of a refusal, or nil.
    func refusal(
        of fields: [(HTTPField.Name, String)],
        from address: String = "192.0.2.7",
        for scope: Scope = .evaluate,
        framing: HTTPRequestHead.Framing = .none
    ) -> GatewayError? {
        do throws(GatewayError) {
            _ = try self.access.admit(Self.exchange(fields, from: address, framing: framing), for: scope)
            return nil
        } catch {
            return error
        }
    }

    func principal(_ fields: [(HTTPField.Name, String)], from address: String = "192.0.2.7") throws -> Principal {
        try self.access.principal(of: Self.exchange(fields, from: address))
    }

    static func bearer(_ credential: String) -> [(HTTPField.Name, String)] {
        [(.authorization, "Bearer \(credential)")]
    }

    /// The fields of a request that is signed now.
    func signed(
        _ text: String,
        secret: String = PrincipalBench.masters.signingSecret(client: "school", version: 1),
        appKey: String = "sgk_school",
        offset: Int64 = 0,
        nonce: String? = UniqueID.next()
    ) -> [(HTTPField.Name, String)] {
        let code = HMACSHA256.authenticationCode(for: text, key: Secret(secret))
        var fields: [(HTTPField.Name, String)] = [
            (.xAppKey, appKey), (.xTimestamp, "\(self.now / 1000 + offset)"), (.xSignature, Base64.encode(code)),
        ]
        if let nonce { fields.append((.xNonce, nonce)) }
        return fields
    }
}

private struct NoContent: HTTPRequestBody {
    func read(into consumer: any HTTPBodyConsumer, limit: Int) async throws {}
}

/// Content in pieces of 100 bytes, perhaps not to its end.
struct PiecewiseBody: HTTPRequestBody {
    let bytes: [UInt8]
    /// After how many bytes nothing comes any more.
    var end = Int.max
    /// How that shows.
    var failure = HTTPRequestBodyError.timedOut

    func read(into consumer: any HTTPBodyConsumer, limit: Int) async throws {
        var rest = self.bytes.prefix(self.end)
        while !rest.isEmpty {
            try Array(rest.prefix(100)).withUnsafeBytes { try consumer.consume($0) }
            rest = rest.dropFirst(100)
        }
        if self.end < self.bytes.count { throw self.failure }
    }
}
