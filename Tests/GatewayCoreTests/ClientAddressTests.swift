import HTTPWire
import Testing

@testable import GatewayCore

@Suite struct ClientAddressTests {
    @Test(arguments: [
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["192.0.2.7"], "192.0.2.7"),
        ("127.0.0.1", ["198.51.100.1, 192.0.2.7"], "192.0.2.7"),
        ("127.0.0.1", ["198.51.100.1", "192.0.2.7 , 10.1.2.3"], "192.0.2.7"),
        ("127.0.0.1", ["10.0.0.1, 10.0.0.2"], "10.0.0.1"),
        ("127.0.0.1", ["192.0.2.7, unknown"], "127.0.0.1"), ("127.0.0.1", ["192.0.2.7,"], "192.0.2.7"),
        ("unix", ["2001:db8::1"], "2001:db8::1"),
        // Whoever is no proxy of ours may claim what he likes.
        ("203.0.113.9", ["192.0.2.7"], "203.0.113.9"),
    ])
    func theLastAddressThatIsNoProxy(peer: String, forwarded: [String], address: String) {
        let proxies = ["127.0.0.0/8", "10.0.0.0/8", "unix"].compactMap(AddressRange.init)
        let head = PrincipalBench.exchange(forwarded.map { (.xForwardedFor, $0) }).head
        #expect(ClientAddress.of(head, peer: peer, trusting: proxies) == address)
        #expect(ClientAddress.of(head, peer: peer, trusting: []) == peer)
    }
}
