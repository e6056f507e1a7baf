internal import Cryptography
public import GatewayCore
public import HTTPWire

/// Made speech by way of the gateway, so that a locked-down app needs no second host.
///
/// An address becomes a path of the gateway that holds it sealed, with the client, the user and the moment up to which
/// it is good. So there is no table, and nothing can be asked for but what an answer once gave. It leads to hosts of a
/// list only, by https and at public addresses, save for the platform's own host, to which all calls go anyway.
public struct SpeechRelay: Sendable {
    /// What may be set about it.
    public struct Configuration: Sendable {
        /// The gateway's own base URL as its clients know it, without a slash at its end.
        public var gatewayURL: String
        /// The hosts beside the platform's own that audio may come from; the default is the one of the contract.
        public var hosts = ["ygyx.dragonai.tech"]
        /// The largest audio in bytes; the default is 32 MiB.
        public var maximumBytes = 32 << 20
        /// How long one audio may take; the default is 120 s.
        public var timeout = Duration.seconds(120)
        /// How long an address is good; the default is 7 days, as long as the answer that holds it can be replayed.
        public var lifetime = Duration.seconds(7 * 86_400)

        /// Takes the gateway's URL.
        public init(gatewayURL: String) {
            self.gatewayURL = gatewayURL
        }
    }

    static let path = "/v1/audio/"

    let configuration: Configuration
    let transport: any HTTPContentTransport
    private let masters: MasterKeys

    /// Takes what it needs.
    ///
    /// - Parameter masters: What addresses are sealed with; those that were sealed before a rotation still open.
    public init(configuration: Configuration, masters: MasterKeys, transport: any HTTPContentTransport) {
        self.configuration = configuration
        self.masters = masters
        self.transport = transport
    }

    /// Whom an address is for.
    struct Owner: Equatable, Sendable {
        let client: String
        let user: String?
    }

    /// The address of an audio at the gateway; nil for one at a host that is not on the list, which stays as it is.
    ///
    /// - Parameters:
    ///   - baseURL: The platform's.
    ///   - now: In Unix milliseconds.
    func address(of url: String, for owner: Owner, baseURL: String, now: Int64) -> String? {
        guard self.reach(of: url, baseURL: baseURL) != nil else { return nil }
        let end = now + self.configuration.lifetime.components.seconds * 1000
        var message = withUnsafeBytes(of: end.bigEndian) { [UInt8]($0) }
        // No user's name is of this length (design, section 4, step 2).
        message.append(owner.user.map { UInt8(clamping: $0.utf8.count) } ?? .max)
        message += (owner.user ?? "").utf8
        message += url.utf8
        let sealed = AESGCM.seal(message, key: self.masters.addressKeys[0], context: Array(owner.client.utf8))
        return self.configuration.gatewayURL + Self.path + Base64.encode(sealed, as: .urlSafe)
    }

    /// What an address leads to; nil for one that is none, is no longer good, or is somebody else's.
    ///
    /// - Parameters:
    ///   - link: What stands behind ``path``.
    ///   - owner: Who asks; without a user, any address of the client.
    func url(of link: String, for owner: Owner, now: Int64) -> String? {
        guard let sealed = Base64.decode(link, as: .urlSafe),
            let message = self.open(sealed, context: Array(owner.client.utf8)), message.count > 9
        else { return nil }
        let end = message.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let count = message[8] == .max ? nil : Int(message[8])
        let user = count.map { String(decoding: message.dropFirst(9).prefix($0), as: UTF8.self) }
        guard now < end, owner.user == nil || owner.user == user else { return nil }
        return String(decoding: message.dropFirst(9 + (count ?? 0)), as: UTF8.self)
    }

    private func open(_ sealed: [UInt8], context: [UInt8]) -> [UInt8]? {
        for key in self.masters.addressKeys {
            if let message = AESGCM.open(sealed, key: key, context: context) { return message }
        }
        return nil
    }

    /// How far a request for audio may reach.
    enum Reach: Sendable {
        /// The platform's own host, wherever that is.
        case platform
        /// A host of the list, at a public address.
        case listed
    }

    /// Where an address leads; nil for nowhere that is allowed.
    func reach(of url: String, baseURL: String) -> Reach? {
        if url.hasPrefix(baseURL + "/") { return .platform }
        guard url.utf8.starts(with: "https://".utf8) else { return nil }
        let authority = url.utf8.dropFirst(8).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let host = String(Substring(authority)).lowercased()
        return self.configuration.hosts.contains { $0.lowercased() == host } ? .listed : nil
    }
}
