internal import HTTPWire

/// The rules for a platform's URL, stricter than RFC 3986 so that no two parsers can read one differently.
struct RequestURL {
    /// Why a URL is not used.
    enum Fault: Error, Equatable {
        case notAbsolute
        case badCharacter
        case badAuthority
        case insecure

        var detail: String {
            switch self {
            case .notAbsolute: "the URL does not begin with https:// or http://"
            case .badCharacter: "the URL holds a byte that must be percent-encoded, or a fragment"
            case .badAuthority: "the URL's host or port is not valid, or it carries credentials"
            case .insecure: "plain http:// is allowed for loopback hosts only"
            }
        }
    }

    /// Whether the connection is encrypted.
    let isSecure: Bool
    private let text: String
    private let authorityEnd: String.Index

    /// Checks a URL.
    ///
    /// - Throws: `Fault` when the URL is malformed or would send plain HTTP over a network.
    init(checking url: String) throws(Fault) {
        var url = url
        let result: Result<(Bool, Int), Fault> = url.withUTF8 { bytes in
            do throws(Fault) {
                return .success(try RequestURL.check(bytes))
            } catch {
                return .failure(error)
            }
        }
        let (isSecure, end) = try result.get()
        self.isSecure = isSecure
        self.authorityEnd = url.utf8.index(url.startIndex, offsetBy: end)
        self.text = url
    }

    /// Scheme, host and port: what a connection leads to.
    var origin: String { String(self.text[..<self.authorityEnd]) }

    /// Host, and the port where it is given.
    var authority: Substring {
        self.text[..<self.authorityEnd].dropFirst(self.isSecure ? "https://".count : "http://".count)
    }

    /// What the field `Host` says: the authority without the scheme's own port, which some servers do not expect there.
    var host: Substring {
        let authority = self.authority
        let port = self.isSecure ? ":443" : ":80"
        return authority.utf8.suffix(port.utf8.count).elementsEqual(port.utf8)
            ? authority.dropLast(port.utf8.count) : authority
    }

    /// Path and query; a URL may go without the path.
    var target: Substring { self.text[self.authorityEnd...] }

    /// Whether the URL is one of `https`, and where its authority ends.
    private static func check(_ url: UnsafeBufferPointer<UInt8>) throws(Fault) -> (Bool, Int) {
        let isSecure: Bool
        let start: Int
        if HTTPToken.equals(url.prefix(8), "https://") {
            (isSecure, start) = (true, 8)
        } else if HTTPToken.equals(url.prefix(7), "http://") {
            (isSecure, start) = (false, 7)
        } else {
            throw .notAbsolute
        }
        var end = start
        while end < url.count, url[end] != UInt8(ascii: "/"), url[end] != UInt8(ascii: "?") {
            end += 1
        }
        for byte in url[end...] {
            switch byte {
            case 0...0x20, 0x7F..., UInt8(ascii: "#"), UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "<"),
                UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"):
                throw .badCharacter
            default:
                break
            }
        }
        let host = try self.host(of: url[start..<end])
        guard isSecure || self.isLoopback(host) else { throw .insecure }
        return (isSecure, end)
    }

    /// The host of an authority, without port; that of an IPv6 literal with its brackets.
    private static func host(
        of authority: Slice<UnsafeBufferPointer<UInt8>>
    ) throws(Fault) -> Slice<UnsafeBufferPointer<UInt8>> {
        var end = authority.startIndex
        if authority.first == UInt8(ascii: "[") {
            guard let bracket = authority.firstIndex(of: UInt8(ascii: "]")) else { throw .badAuthority }
            let literal = authority[(authority.startIndex + 1)..<bracket]
            guard !literal.isEmpty, literal.allSatisfy(self.isAddressByte) else { throw .badAuthority }
            end = bracket + 1
        } else {
            while end < authority.endIndex, authority[end] != UInt8(ascii: ":") {
                guard self.isHostByte(authority[end]) else { throw .badAuthority }
                end += 1
            }
            guard end > authority.startIndex else { throw .badAuthority }
        }
        if end < authority.endIndex {
            let port = authority[(end + 1)...]
            guard authority[end] == UInt8(ascii: ":"), (1...5).contains(port.count),
                port.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
                (1...65_535).contains(port.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
            else { throw .badAuthority }
        }
        return authority[authority.startIndex..<end]
    }

    private static func isLoopback(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        if HTTPToken.equals(host, "localhost") || HTTPToken.equals(host, "[::1]") { return true }
        // 127.0.0.0/8 as a plain dotted quad; `127.1` and the like are left to those who need them.
        var dots = 0
        var digits = 0
        for byte in host {
            switch byte {
            case UInt8(ascii: ".") where digits > 0: (dots, digits) = (dots + 1, 0)
            case UInt8(ascii: "0")...UInt8(ascii: "9") where digits < 3: digits += 1
            default: return false
            }
        }
        return dots == 3 && digits > 0 && HTTPToken.equals(host.prefix(4), "127.")
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ":"):
            true
        default:
            false
        }
    }
}
