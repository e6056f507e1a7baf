internal import HTTPWire

/// Where a request comes from, seen through the proxies in front of the gateway.
struct ClientAddress: Hashable {
    /// Why the address of a request is not known, though a trusted proxy passed it on.
    enum Doubt: String {
        /// A proxy does not tell whom it served.
        case undisclosed
        /// What a proxy wrote is no address.
        case unreadable
        /// `Forwarded` and `X-Forwarded-For` come to different addresses.
        case contradictory
    }

    /// What stands for an address that is not known: it lies in no range, and all such requests count as of one address.
    static let unknown = "unknown"

    let text: String
    let doubt: Doubt?

    init(_ text: String) {
        self.text = text
        self.doubt = nil
    }

    private init(_ doubt: Doubt) {
        self.text = Self.unknown
        self.doubt = doubt
    }

    /// The address that connected; of a proxy that the operator trusts, the last one in `Forwarded` (RFC 7239) or in
    /// `X-Forwarded-For` that is none of these proxies.
    ///
    /// Each proxy adds whom it serves at the right; entries further left are what clients claim. Where a proxy's own entry
    /// does not say, the address is unknown: nothing to the left of it can be believed, and it is not the proxy's either.
    ///
    /// A proxy maintains one of the two fields and passes the other on as the client wrote it, and which one is which
    /// cannot be seen here. So neither wins: where both are there, they have to agree.
    static func of(_ head: HTTPRequestHead, peer: String, trusting proxies: [AddressRange]) -> ClientAddress {
        guard !proxies.isEmpty, proxies.contains(where: { $0.contains(peer) }) else { return ClientAddress(peer) }
        let standard = ForwardedHop.standard(in: head.fields)
        let customary = ForwardedHop.customary(in: head.fields)
        if standard.isEmpty { return Self.last(of: customary, peer: peer, trusting: proxies) }
        let address = Self.last(of: standard, peer: peer, trusting: proxies)
        if customary.isEmpty { return address }
        let other = Self.last(of: customary, peer: peer, trusting: proxies)
        return address.isSame(as: other) ? address : ClientAddress(.contradictory)
    }

    private static func last(
        of hops: [ForwardedHop],
        peer: String,
        trusting proxies: [AddressRange]
    ) -> ClientAddress {
        var address = peer
        for hop in hops.reversed() {
            guard proxies.contains(where: { $0.contains(address) }) else { break }
            switch hop {
            case .address(let next): address = next
            case .undisclosed: return ClientAddress(.undisclosed)
            case .unreadable: return ClientAddress(.unreadable)
            }
        }
        return ClientAddress(address)
    }

    /// Whether both are the same address, however it is written.
    private func isSame(as other: ClientAddress) -> Bool {
        guard let address = IPAddress(self.text) else { return self == other }
        return address == IPAddress(other.text)
    }

    /// What an address is counted as: one subscriber has a whole /64 of IPv6 addresses.
    static func subscriber(of address: String) -> String {
        guard let parsed = IPAddress(address), !parsed.isIPv4 else { return address }
        return parsed.masked(64).description
    }

    /// The /48 of an IPv6 address, which one site may have altogether (RFC 6177); nil for other addresses.
    ///
    /// Too wide to count a subscriber's guesses by: a /48 of a mobile network is that of many thousand phones.
    static func site(of address: String) -> String? {
        guard let parsed = IPAddress(address), !parsed.isIPv4 else { return nil }
        return parsed.masked(48).description
    }
}
