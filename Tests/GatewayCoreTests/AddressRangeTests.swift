import Testing

@testable import GatewayCore

@Suite struct AddressRangeTests {
    @Test(arguments: [
        ("192.0.2.0/24", "192.0.2.255", true), ("192.0.2.0/24", "192.0.3.0", false),
        ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false), ("192.0.2.9/30", "192.0.2.11", true),
        ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false), ("0.0.0.0/0", "unix", false),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false),
        ("2001:db8::/65", "2001:db8:0:0:7fff::", true), ("2001:db8::/65", "2001:db8:0:0:8000::", false),
        ("2001:db8::1", "2001:db8:0:0:0:0:0:1", true), ("::/0", "192.0.2.1", true),
        ("::ffff:192.0.2.0/120", "192.0.2.1", true), ("192.0.2.1", "::ffff:192.0.2.1", true),
        ("unix", "unix", true), ("unix", "127.0.0.1", false),
    ])
    func aRangeHoldsWhatItSays(range: String, peer: String, holds: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(peer) == holds)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0/8", "10.0.0.256",
        "::/129", "2001:db8", "example.org", "fe80::1%eth0", "10.0.0.1 ", "010.0.0.1",
    ])
    func whatIsNoRangeIsNone(text: String) {
        #expect(AddressRange(text) == nil)
    }
}
