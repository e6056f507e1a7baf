/// Finds the parts of a head, line by line, in bytes that lie in one piece.
///
/// All offsets count from the first byte of the request line.
struct HTTP1HeadScanner: Sendable {
    /// What the scan of one line gave.
    enum Line {
        /// A whole line; the next one begins at the offset.
        case complete(Int)
        /// The empty line; the content begins at the offset.
        case end(Int)
        /// The line is not there to its end.
        case partial
        /// The line holds what ``HTTP1LineChecker`` refuses.
        case refused
    }

    /// The names that decide about framing and connection.
    struct KnownFields: OptionSet, Sendable {
        let rawValue: UInt8

        static let host = KnownFields(rawValue: 1)
        static let contentLength = KnownFields(rawValue: 2)
        static let transferEncoding = KnownFields(rawValue: 4)
        static let connection = KnownFields(rawValue: 8)
        static let expect = KnownFields(rawValue: 16)
    }

    private var hasRequestLine: Bool
    private(set) var method = 0..<0
    private(set) var target = 0..<0
    private(set) var major: UInt8 = 0
    private(set) var minor: UInt8 = 0
    private(set) var entries: [HTTPFields.Entry] = []
    private(set) var known: KnownFields = []

    /// Makes a scanner.
    ///
    /// - Parameter hasRequestLine: Whether field lines come at once.
    init(hasRequestLine: Bool = false) {
        self.hasRequestLine = hasRequestLine
    }

    /// Scans the line that begins at `start`.
    ///
    /// - Parameters:
    ///   - base: The first byte of the request line.
    ///   - start: Where the line begins.
    ///   - count: How many bytes there are, at most as many as a head may have.
    mutating func scanLine(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int,
        limits: HTTP1Limits
    ) -> Line {
        if self.hasRequestLine {
            self.scanField(base, from: start, count: count, limits: limits)
        } else {
            self.scanRequestLine(base, count: count, limits: limits)
        }
    }

    private mutating func scanRequestLine(_ base: UnsafePointer<UInt8>, count: Int, limits: HTTP1Limits) -> Line {
        var index = 0
        while index < count, ByteSet.token.contains(base[index]) { index += 1 }
        guard index < count else { return index > limits.requestLine ? .refused : .partial }
        guard index > 0, base[index] == ASCII.space else { return .refused }
        self.method = 0..<index
        index += 1
        let targetStart = index
        while index < count, ByteSet.visible.contains(base[index]) { index += 1 }
        guard index < count else { return index > limits.requestLine ? .refused : .partial }
        guard index > targetStart, base[index] == ASCII.space else { return .refused }
        self.target = targetStart..<index
        // "HTTP/1.1" and the line end follow: ten bytes, or the line is not there or not valid.
        let version = index + 1
        guard version + 8 <= limits.requestLine else { return count > limits.requestLine ? .refused : .partial }
        guard version + 10 <= count else { return .partial }
        guard base[version + 8] == ASCII.carriageReturn, base[version + 9] == ASCII.lineFeed else { return .refused }
        for offset in version..<version + 8 where !ByteSet.visible.contains(base[offset]) {
            return .refused
        }
        // A version of another form leaves both digits at 0, which is no digit and is refused later.
        let isWellFormed =
            base[version] == 0x48 && base[version + 1] == 0x54 && base[version + 2] == 0x54
            && base[version + 3] == 0x50 && base[version + 4] == ASCII.slash && base[version + 6] == 0x2E
        if isWellFormed {
            self.major = base[version + 5]
            self.minor = base[version + 7]
        }
        self.hasRequestLine = true
        self.entries.reserveCapacity(16)
        return .complete(version + 10)
    }

    private mutating func scanField(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int,
        limits: HTTP1Limits
    ) -> Line {
        guard start < count else { return .partial }
        if base[start] == ASCII.carriageReturn {
            guard start + 1 < count else { return .partial }
            return base[start + 1] == ASCII.lineFeed ? .end(start + 2) : .refused
        }
        guard self.entries.count < limits.fieldCount else { return .refused }
        var index = start
        while index < count, ByteSet.token.contains(base[index]) { index += 1 }
        guard index < count else { return .partial }
        guard index > start, base[index] == ASCII.colon else { return .refused }
        let name = start..<index
        index += 1
        while index < count, ASCII.isBlank(base[index]) { index += 1 }
        let valueStart = index
        index = Self.endOfValue(base, from: index, count: count)
        guard index + 1 < count else {
            return index == count || base[index] == ASCII.carriageReturn ? .partial : .refused
        }
        guard base[index] == ASCII.carriageReturn, base[index + 1] == ASCII.lineFeed else { return .refused }
        var valueEnd = index
        while valueEnd > valueStart, ASCII.isBlank(base[valueEnd - 1]) { valueEnd -= 1 }
        // Room for the fields of an ordinary head at once.
        if self.entries.isEmpty { self.entries.reserveCapacity(8) }
        self.entries.append(HTTPFields.Entry(name: name, value: valueStart..<valueEnd))
        if let field = Self.knownField(base + start, count: name.count) { self.known.insert(field) }
        return .complete(index + 2)
    }

    /// The offset of the first control character other than a tab, eight bytes at a time.
    private static func endOfValue(_ base: UnsafePointer<UInt8>, from start: Int, count: Int) -> Int {
        let raw = UnsafeRawPointer(base)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var index = start
        while index + 8 <= count {
            let word = UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            // A borrow can only flag bytes above one that is flagged rightly: the lowest flag is exact.
            let delete = word ^ (ones &* 0x7F)
            let flags = ((word &- ones &* 0x20) & ~word | (delete &- ones) & ~delete) & highs
            if flags == 0 {
                index += 8
                continue
            }
            index += flags.trailingZeroBitCount >> 3
            guard base[index] == ASCII.tab else { return index }
            index += 1
        }
        while index < count, HTTPToken.isFieldValueByte(base[index]) { index += 1 }
        return index
    }

    private static func knownField(_ name: UnsafePointer<UInt8>, count: Int) -> KnownFields? {
        switch count {
        case 4: self.equals(name, "host") ? .host : nil
        case 6: self.equals(name, "expect") ? .expect : nil
        case 10: self.equals(name, "connection") ? .connection : nil
        case 14: self.equals(name, "content-length") ? .contentLength : nil
        case 17: self.equals(name, "transfer-encoding") ? .transferEncoding : nil
        default: nil
        }
    }

    /// Compares a token with a lower-case name of letters and hyphens of the same length.
    ///
    /// No other token byte becomes a letter or a hyphen when bit 5 is set.
    @inline(__always)
    static func equals(_ bytes: UnsafePointer<UInt8>, _ name: StaticString) -> Bool {
        for index in 0..<name.utf8CodeUnitCount where bytes[index] | 0x20 != name.utf8Start[index] {
            return false
        }
        return true
    }
}
