internal import GatewayCore

/// The names of clients and accounts: short, lower case, safe in URLs, file names and metric labels.
enum NameText {
    /// What is wrong with a name, or nil: `[a-z0-9][a-z0-9._-]{0,62}`.
    static func fault(_ text: String) -> String? {
        let isFine =
            (1...63).contains(text.utf8.count)
            && text.utf8.allSatisfy { Self.isLetterOrDigit($0) || "._-".utf8.contains($0) }
            && text.utf8.first.map(Self.isLetterOrDigit) == true
        guard !isFine else { return nil }
        return "a name is 1 to 63 characters of a-z, 0-9, '.', '_' and '-' and begins with a letter or digit"
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// How many requests in which time: `"20/s"`, `"600/m"`, `"100/10s"`, `"20/s burst 100"`.
enum RateText {
    /// What is wanted, for messages.
    static let form = #"a rate is wanted: "20/s", "600/m", "100/10s", or "20/s burst 100" for as many at once"#

    /// The rate that a text says, or nil; without a burst a period's worth may come at once.
    static func rate(_ text: String) -> TokenBucket.Rate? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 1 || words.count == 3 && words[1] == "burst" else { return nil }
        let parts = words[0].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Self.count(parts[0]) else { return nil }
        let isUnit = parts[1].utf8.first.map { $0 >= UInt8(ascii: "a") } ?? true
        guard let period = Duration(configurationText: (isUnit ? "1" : "") + parts[1]),
            TokenBucket.Rate.periods.contains(period), let burst = words.count == 3 ? Self.count(words[2]) : count
        else { return nil }
        return TokenBucket.Rate(count, per: period, burst: burst)
    }

    /// The text of a rate.
    static func text(_ rate: TokenBucket.Rate) -> String {
        let period = rate.period.configurationText
        let text =
            "\(rate.count)/\(period.hasPrefix("1") && period.utf8.count == 2 ? String(period.dropFirst()) : period)"
        return rate.burst == rate.count ? text : "\(text) burst \(rate.burst)"
    }

    private static func count(_ text: Substring) -> Int? {
        Int(text).flatMap { TokenBucket.Rate.counts.contains($0) ? $0 : nil }
    }
}

/// Paths of files and directories.
enum PathText {
    /// What is wrong with a path, or nil.
    static func fault(_ text: String) -> String? {
        text.isEmpty || text.contains("\0") ? "a path is wanted; this one is empty or holds a NUL" : nil
    }

    /// A path as it is opened: relative ones count from the directory of the file that names them.
    static func resolve(_ path: String, besideFile file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }
}

/// Where a platform is.
enum BaseURLText {
    /// What is wrong with a base URL, or nil: `https://HOST[:PORT]`, or `http://` on this machine.
    static func fault(_ text: String) -> String? {
        let form = "https://HOST or https://HOST:PORT is wanted, without path and query"
        let isPlain = text.hasPrefix("http://")
        guard isPlain || text.hasPrefix("https://") else { return form }
        let authority = Self.withoutTrailingSlash(String(text.dropFirst(isPlain ? 7 : 8)))
        guard let (host, _) = HostAndPort.split(authority), !authority.contains("@"), !authority.contains("/") else {
            return form
        }
        guard !isPlain || HostAndPort.isLoopback(host) else {
            return "http:// would send recordings in the clear; it is accepted for 127.0.0.1, [::1] and localhost only"
        }
        return nil
    }

    /// The text without one slash at its end.
    static func withoutTrailingSlash(_ text: String) -> String {
        text.hasSuffix("/") && !text.hasSuffix("://") ? String(text.dropLast()) : text
    }
}

/// Where a listener is, as far as settings judge it.
enum ListenText {
    /// What is wrong with an address, or nil.
    static func fault(_ text: String) -> String? {
        if text.hasPrefix("unix:") {
            let path = text.dropFirst(5)
            // sun_path is 108 bytes with its final NUL (unix(7)).
            guard path.hasPrefix("/"), path.utf8.count < 108, !path.contains("\0") else {
                return "unix: is followed by an absolute path of at most 107 bytes"
            }
            return nil
        }
        if text.hasPrefix("fd:") {
            guard Self.inheritedName(text) == nil, Int32(text.dropFirst(3)).map({ $0 < 3 }) ?? true else { return nil }
            return "fd: is followed by a descriptor from 3 on, or by the FileDescriptorName= of a socket unit"
        }
        guard let (_, port) = HostAndPort.split(text), port != nil else {
            return "\"HOST:PORT\", \"[IPv6]:PORT\" or \"unix:/path\" is wanted, not \(ConfigurationObject.quoted(text))"
        }
        return nil
    }

    /// The name of sockets that the process was started with; nil for a number, and for what is no name.
    static func inheritedName(_ text: String) -> String? {
        guard text.hasPrefix("fd:"), text.utf8.count > 3, text.utf8.count <= 258 else { return nil }
        let name = text.dropFirst(3)
        guard name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }), Int32(name) == nil else { return nil }
        return String(name)
    }

    /// Whether only this machine can reach the address.
    static func isLocal(_ text: String) -> Bool {
        if text.hasPrefix("unix:") { return true }
        guard let (host, _) = HostAndPort.split(text) else { return false }
        return HostAndPort.isLoopback(host)
    }

    /// Whether the system chooses the port.
    static func hasAnyPort(_ text: String) -> Bool {
        HostAndPort.split(text)?.port == 0
    }
}

/// `HOST:PORT` with an optional port; IPv6 addresses in brackets.
enum HostAndPort {
    /// Cuts an authority; nil when it is none.
    static func split(_ text: String) -> (host: String, port: UInt16?)? {
        var host = text
        var port: UInt16?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
            if !rest.isEmpty {
                guard rest.hasPrefix(":"), let number = Self.port(rest.dropFirst()) else { return nil }
                port = number
            }
            return (host, port)
        }
        if let colon = text.firstIndex(of: ":") {
            host = String(text[..<colon])
            guard let number = Self.port(text[text.index(after: colon)...]) else { return nil }
            port = number
        }
        let isName = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default:
                false
            }
        }
        return host.isEmpty || !isName ? nil : (host, port)
    }

    /// Whether a host is this machine and nothing else.
    static func isLoopback(_ host: String) -> Bool {
        if host == "::1" || host.lowercased() == "localhost" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func port(_ text: Substring) -> UInt16? {
        guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
            return nil
        }
        return UInt16(text)
    }
}
