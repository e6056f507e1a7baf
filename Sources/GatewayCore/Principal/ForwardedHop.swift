internal import HTTPWire

/// One step of a request's way, as a proxy tells of whom it served.
enum ForwardedHop: Hashable {
    case address(String)
    /// The proxy does not know or does not tell: `unknown`, a name of its own making, or nothing (RFC 7239, sections 6.2
    /// and 6.3).
    case undisclosed
    case unreadable

    /// The steps that `Forwarded` tells of, the farthest first.
    static func standard(in fields: HTTPFields) -> [ForwardedHop] {
        fields.values(of: .forwarded).flatMap { line in
            guard let identifiers = ForwardedField.identifiers(in: line) else { return [ForwardedHop.unreadable] }
            return identifiers.map { $0.map(ForwardedHop.init(node:)) ?? .undisclosed }
        }
    }

    /// The steps that `X-Forwarded-For` tells of, the farthest first.
    static func customary(in fields: HTTPFields) -> [ForwardedHop] {
        fields.values(of: .xForwardedFor).flatMap { $0.split(separator: ",") }.compactMap { entry in
            let text = Self.trimmed(entry)
            // Here an IPv6 address stands alone mostly.
            return text.isEmpty ? nil : IPAddress(text) != nil ? .address(text) : ForwardedHop(node: text)
        }
    }

    /// Reads a node identifier (RFC 7239, section 6): an address with or without a port, IPv6 in brackets.
    init(node text: String) {
        let name: Substring
        let rest: Substring
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else {
                self = .unreadable
                return
            }
            name = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
        } else {
            name = text.prefix { $0 != ":" }
            rest = text[name.endIndex...]
        }
        guard rest.isEmpty || rest.first == ":" && Self.isPort(rest.dropFirst()) else {
            self = .unreadable
            return
        }
        // What was in brackets is IPv6, and what was not is not.
        if name.contains(":") == (text.first == "["), IPAddress(String(name)) != nil {
            self = .address(String(name))
        } else if text.first != "[", name.lowercased() == "unknown" || Self.isObfuscated(name) {
            self = .undisclosed
        } else {
            self = .unreadable
        }
    }

    /// `port = 1*5DIGIT`, or an obfuscated one.
    private static func isPort(_ text: Substring) -> Bool {
        (1...5).contains(text.utf8.count) && text.utf8.allSatisfy(Self.isDigit) || Self.isObfuscated(text)
    }

    /// An underscore and at least one letter, digit, `.`, `_` or `-`.
    private static func isObfuscated(_ text: Substring) -> Bool {
        text.first == "_" && text.utf8.count > 1
            && text.utf8.allSatisfy { byte in
                Self.isDigit(byte) || (0x61...0x7A).contains(byte | 0x20) || [0x2D, 0x2E, 0x5F].contains(byte)
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func trimmed(_ entry: Substring) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var bytes = entry.utf8.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
