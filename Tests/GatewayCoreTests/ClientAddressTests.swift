import HTTPWire
import Testing

@testable import GatewayCore

@Suite struct ClientAddressTests {
    private static let proxies = ["127.0.0.0/8", "10.0.0.0/8", "2001:db8:ffff::/48", "unix"].compactMap(
        AddressRange.init
    )

    private static func address(
        of fields: [(HTTPField.Name, String)],
        peer: String = "127.0.0.1",
        trusting proxies: [AddressRange] = Self.proxies
    ) -> ClientAddress {
        ClientAddress.of(PrincipalBench.exchange(fields).head, peer: peer, trusting: proxies)
    }

    @Test(arguments: [
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["192.0.2.7"], "192.0.2.7"),
        ("127.0.0.1", ["198.51.100.1, 192.0.2.7"], "192.0.2.7"),
        ("127.0.0.1", ["198.51.100.1", "192.0.2.7 , 10.1.2.3"], "192.0.2.7"),
        ("127.0.0.1", ["10.0.0.1, 10.0.0.2"], "10.0.0.1"),
        ("127.0.0.1", ["192.0.2.7, unknown"], "unknown"), ("127.0.0.1", ["192.0.2.7,"], "192.0.2.7"),
        ("127.0.0.1", ["192.0.2.7, unix:"], "unknown"), ("127.0.0.1", ["unknown, 192.0.2.7"], "192.0.2.7"),
        ("unix", ["2001:db8::1"], "2001:db8::1"),
        // Some proxies write a port behind it.
        ("127.0.0.1", ["192.0.2.7:4711"], "192.0.2.7"), ("127.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
        // Whoever is no proxy of ours may claim what he likes.
        ("203.0.113.9", ["192.0.2.7"], "203.0.113.9"),
    ])
    func theLastAddressThatIsNoProxy(peer: String, forwarded: [String], address: String) {
        let fields = forwarded.map { (HTTPField.Name.xForwardedFor, $0) }
        #expect(Self.address(of: fields, peer: peer).text == address)
        #expect(Self.address(of: fields, peer: peer, trusting: []).text == peer)
    }

    @Test(arguments: [
        // RFC 7239, section 4.
        (["for=192.0.2.60;proto=http;by=203.0.113.43"], "192.0.2.60"),
        (["for=198.51.100.17, for=192.0.2.43"], "192.0.2.43"),
        (["for=198.51.100.17", "For=192.0.2.43, for=10.0.0.1"], "192.0.2.43"),
        // Sections 6 and 6.1: IPv6 in brackets and quotes, with and without a port.
        ([#"for="[2001:db8:cafe::17]""#], "2001:db8:cafe::17"),
        ([#"for="[2001:db8:cafe::17]:4711""#], "2001:db8:cafe::17"),
        ([#"for="192.0.2.43:47011""#], "192.0.2.43"), ([#"for="192.0.2.43:_p""#], "192.0.2.43"),
        ([#"for=192.0.2.43, for="[2001:db8:ffff::1]""#], "192.0.2.43"),
        // Section 7.4: what is left of a proxy's own entry may be anything.
        (["for=unknown, for=192.0.2.43"], "192.0.2.43"), (["for=_hidden", "for=192.0.2.43"], "192.0.2.43"),
        ([#"for="never closed"#, "for=192.0.2.43"], "192.0.2.43"),
        (["by=10.0.0.1", "for=192.0.2.43"], "192.0.2.43"),
    ])
    func forwardedIsReadFromTheRight(lines: [String], address: String) {
        let fields = lines.map { (HTTPField.Name.forwarded, $0) }
        #expect(Self.address(of: fields) == ClientAddress(address))
        #expect(Self.address(of: fields, peer: "203.0.113.9") == ClientAddress("203.0.113.9"))
    }

    @Test(arguments: [
        // Sections 6.2 and 6.3, and an element without `for`.
        ("for=unknown", ClientAddress.Doubt.undisclosed), ("for=UNKNOWN", .undisclosed),
        (#"for="unknown:80""#, .undisclosed),
        ("for=_SEVKISEK", .undisclosed), ("for=192.0.2.43, for=_hidden", .undisclosed), ("proto=https", .undisclosed),
        ("for=192.0.2.43, for=unknown, for=10.0.0.1", .undisclosed),
        // None of these is an address, whatever stands in front of it.
        (#"for=192.0.2.43, for="2001:db8::1""#, .unreadable), (#"for="[192.0.2.1]""#, .unreadable),
        (#"for="[2001:db8::1""#, .unreadable), (#"for="[2001:db8::1]x""#, .unreadable),
        (#"for="192.0.2.43:""#, .unreadable), (#"for="192.0.2.43:123456""#, .unreadable), ("for=_", .unreadable),
        ("for=192.0.2.043", .unreadable), ("for=localhost", .unreadable), (#"for="""#, .unreadable),
        (#"for="_a b""#, .unreadable), (#"for="[unknown]""#, .unreadable),
        // A quote that a client opened before a proxy added its element to the same line.
        (#"for=192.0.2.43;x=", for=198.51.100.1"#, .unreadable),
        (#"for=192.0.2.43;x=", for="[2001:db8::1]""#, .unreadable),
    ])
    func whatAProxyDoesNotTellIsUnknown(line: String, doubt: ClientAddress.Doubt) {
        let address = Self.address(of: [(.forwarded, line)])
        #expect(address.text == "unknown" && address.doubt == doubt)
        #expect(!Self.proxies.contains { $0.contains(address.text) })
    }

    /// A proxy maintains one of them, and the other one is the client's.
    @Test(
        arguments: [
            ("for=192.0.2.7", "192.0.2.7", "192.0.2.7", nil),
            (#"for="[2001:DB8::1]""#, "2001:db8:0::1", "2001:DB8::1", nil),
            ("for=198.51.100.1, for=192.0.2.7", "203.0.113.1, 192.0.2.7, 10.0.0.1", "192.0.2.7", nil),
            ("for=192.0.2.7", "192.0.2.8", "unknown", .contradictory),
            ("for=192.0.2.7", "unknown", "unknown", .contradictory),
            ("for=_hidden", "192.0.2.8", "unknown", .contradictory),
            (#"for=""#, "192.0.2.8", "unknown", .contradictory),
            ("for=10.0.0.1", "192.0.2.8", "unknown", .contradictory),
            ("for=192.0.2.7", "10.0.0.1", "unknown", .contradictory),
            ("for=unknown", "unknown", "unknown", .undisclosed), ("", "192.0.2.8", "192.0.2.8", nil),
            ("for=192.0.2.7", " , ", "192.0.2.7", nil),
        ] as [(String, String, String, ClientAddress.Doubt?)]
    )
    func bothFieldsHaveToAgree(standard: String, customary: String, text: String, doubt: ClientAddress.Doubt?) {
        let address = Self.address(of: [(.forwarded, standard), (.xForwardedFor, customary)])
        #expect(address.text == text && address.doubt == doubt)
    }
}
