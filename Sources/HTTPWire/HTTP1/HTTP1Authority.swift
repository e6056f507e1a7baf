/// The grammar of `uri-host [ ":" port ]` (RFC 9110, section 4.2; RFC 3986, section 3.2).
enum HTTP1Authority {
    /// Whether the bytes are a host with an optional port, without user information.
    ///
    /// - Parameter requiresPort: Whether a port with at least one digit must stand there, as in CONNECT.
    static func isValid(_ bytes: UnsafeBufferPointer<UInt8>, requiresPort: Bool = false) -> Bool {
        guard let first = bytes.first else { return false }
        let hostEnd: Int
        if first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
            guard self.isAddressLiteral(UnsafeBufferPointer(rebasing: bytes[1..<close])) else { return false }
            hostEnd = close + 1
        } else {
            hostEnd = bytes.firstIndex(of: ASCII.colon) ?? bytes.count
            guard hostEnd > 0, self.isRegisteredName(UnsafeBufferPointer(rebasing: bytes[..<hostEnd])) else {
                return false
            }
        }
        guard hostEnd < bytes.count else { return !requiresPort }
        guard bytes[hostEnd] == ASCII.colon else { return false }
        return self.isPort(UnsafeBufferPointer(rebasing: bytes[(hostEnd + 1)...]), mayBeEmpty: !requiresPort)
    }

    private static func isPort(_ bytes: UnsafeBufferPointer<UInt8>, mayBeEmpty: Bool) -> Bool {
        var value = 0
        for byte in bytes {
            guard ASCII.isDigit(byte) else { return false }
            value = value * 10 + Int(byte - 0x30)
            guard value <= 65535 else { return false }
        }
        return mayBeEmpty || !bytes.isEmpty
    }

    private static func isRegisteredName(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            if ByteSet.registeredName.contains(bytes[index]) {
                index += 1
            } else if bytes[index] == ASCII.percent, index + 2 < bytes.count,
                ASCII.hexValue(bytes[index + 1]) != nil, ASCII.hexValue(bytes[index + 2]) != nil
            {
                index += 3
            } else {
                return false
            }
        }
        return true
    }

    /// IPv6address or IPvFuture, without the brackets.
    private static func isAddressLiteral(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if let first = bytes.first, first | 0x20 == UInt8(ascii: "v") {
            return self.isFutureAddress(bytes)
        }
        var groups = 0
        var isCompressed = false
        var index = 0
        while index < bytes.count {
            if bytes[index] == ASCII.colon {
                // Only "::" begins with a colon here: single colons are taken behind their group.
                guard !isCompressed, index + 1 < bytes.count, bytes[index + 1] == ASCII.colon else { return false }
                isCompressed = true
                index += 2
                continue
            }
            let start = index
            while index < bytes.count, ASCII.hexValue(bytes[index]) != nil { index += 1 }
            if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
                guard self.isIPv4(UnsafeBufferPointer(rebasing: bytes[start...])) else { return false }
                groups += 2
                index = bytes.count
                break
            }
            guard index > start, index - start <= 4 else { return false }
            groups += 1
            if index < bytes.count {
                guard bytes[index] == ASCII.colon, index + 1 < bytes.count else { return false }
                if bytes[index + 1] != ASCII.colon { index += 1 }
            }
        }
        return isCompressed ? groups <= 7 : groups == 8
    }

    private static func isFutureAddress(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")), dot > 1, dot + 1 < bytes.count else { return false }
        for byte in bytes[1..<dot] where ASCII.hexValue(byte) == nil { return false }
        for byte in bytes[(dot + 1)...] where !ByteSet.registeredName.contains(byte) && byte != ASCII.colon {
            return false
        }
        return true
    }

    private static func isIPv4(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var octets = 0
        var digits = 0
        var value = 0
        for byte in bytes {
            if byte == UInt8(ascii: ".") {
                guard digits > 0, octets < 3 else { return false }
                octets += 1
                digits = 0
                value = 0
            } else {
                guard ASCII.isDigit(byte), !(digits > 0 && value == 0) else { return false }
                digits += 1
                value = value * 10 + Int(byte - 0x30)
                guard value <= 255 else { return false }
            }
        }
        return octets == 3 && digits > 0
    }
}
