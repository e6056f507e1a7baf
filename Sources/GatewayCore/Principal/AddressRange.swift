internal import Glibc

/// Where a client may come from: an IPv4 or IPv6 range in CIDR form, one address, or `unix` for the Unix socket.
///
/// IPv4 addresses count as their IPv6 form (RFC 4291, section 2.5.5.2), so that both kinds of listeners agree.
public struct AddressRange: Hashable, Sendable {
    private let address: IPAddress?
    private let prefix: Int

    /// Takes a text such as `192.0.2.0/24`, `2001:db8::/32`, `192.0.2.7` or `unix`; nil for anything else.
    public init?(_ text: String) {
        guard text != "unix" else {
            self.address = nil
            self.prefix = 0
            return
        }
        let halves = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(halves[0])) else { return nil }
        let width = halves[0].contains(":") ? 128 : 32
        var prefix = width
        if halves.count == 2 {
            let digits = halves[1].utf8
            guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(halves[1]), number <= width
            else { return nil }
            prefix = number
        }
        self.prefix = prefix + 128 - width
        self.address = address.masked(self.prefix)
    }

    /// Whether an address as servers write it lies in the range.
    func contains(_ peer: String) -> Bool {
        guard let address = self.address else { return peer == "unix" }
        return IPAddress(peer)?.masked(self.prefix) == address
    }
}

/// An address of 128 bits.
struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    /// The bits as two numbers.
    var description: String { "\(self.high):\(self.low)" }

    /// Whether it is an IPv4 address in its IPv6 form.
    var isIPv4: Bool { self.high == 0 && self.low >> 32 == 0xFFFF }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads either form; nil when the text is no address.
    init?(_ text: String) {
        var narrow = in_addr()
        if inet_pton(AF_INET, text, &narrow) == 1 {
            self.init(high: 0, low: 0xFFFF_0000_0000 | UInt64(UInt32(bigEndian: narrow.s_addr)))
            return
        }
        var wide = in6_addr()
        guard inet_pton(AF_INET6, text, &wide) == 1 else { return nil }
        self = withUnsafeBytes(of: &wide) { bytes in
            IPAddress(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The first bits; the others are zero.
    func masked(_ prefix: Int) -> IPAddress {
        // Shifts by 64 give zero in Swift.
        IPAddress(
            high: self.high & ~(UInt64.max >> UInt64(min(prefix, 64))),
            low: self.low & ~(UInt64.max >> UInt64(max(prefix - 64, 0)))
        )
    }
}
