internal import HTTPWire

/// Where a request comes from, seen through the proxies in front of the gateway.
enum ClientAddress {
    /// The address that connected; of a proxy that the operator trusts, the last one in `X-Forwarded-For` that is none
    /// of these proxies.
    ///
    /// Each proxy appends whom it serves, so entries further left are what clients claim. An entry that is no address
    /// ends the search: nothing to the left of it can be believed.
    static func of(_ head: HTTPRequestHead, peer: String, trusting proxies: [AddressRange]) -> String {
        guard !proxies.isEmpty else { return peer }
        var address = peer
        let hops = head.fields.values(of: .xForwardedFor).flatMap { $0.split(separator: ",") }
        for hop in hops.reversed() {
            guard proxies.contains(where: { $0.contains(address) }) else { return address }
            let text = Self.trimmed(hop)
            guard IPAddress(text) != nil else { return address }
            address = text
        }
        return address
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

    private static func trimmed(_ hop: Substring) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var bytes = hop.utf8.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
