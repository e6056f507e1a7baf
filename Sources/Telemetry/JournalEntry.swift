/// A log message in the journal's native protocol: fields with names in capitals (systemd's JOURNAL_NATIVE_PROTOCOL).
struct JournalEntry {
    private(set) var bytes: [UInt8] = []

    /// - Parameters:
    ///   - format: How the field `MESSAGE` looks, which holds the data too: it is what most eyes see.
    ///   - identifier: The program's name.
    init(_ record: LogRecord, format: LogFormat, identifier: String) {
        self.bytes.reserveCapacity(1_024)
        self.append("PRIORITY", "\(record.level.priority)")
        self.append("SYSLOG_IDENTIFIER", identifier)
        var line = LogLine(format: format, isDated: false)
        line.append(record)
        self.append(Array("MESSAGE".utf8), line.bytes.dropLast())
        for (key, value) in record.metadata.entries {
            self.append(Self.name(key), value)
        }
    }

    /// `http.status` is `HTTP_STATUS`.
    private static func name(_ key: StaticString) -> [UInt8] {
        key.withUTF8Buffer { key in
            key.map { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 0x20
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
                default: UInt8(ascii: "_")
                }
            }
        }
    }

    private mutating func append(_ name: [UInt8], _ value: LogValue) {
        var text =
            switch value {
            case .int(let number): number.description
            case .double(let number): number.description
            case .bool(let flag): flag.description
            case .string, .redacted, .appKey, .url: value.text ?? ""
            }
        text.withUTF8 { text in
            self.append(name, text.prefix(LogFormat.shownLength(of: text)))
        }
    }

    private mutating func append(_ name: String, _ value: String) {
        self.append(Array(name.utf8), value.utf8)
    }

    /// Always with the length in front, the form for values of any bytes: no value can begin another field.
    private mutating func append(_ name: [UInt8], _ value: some Collection<UInt8>) {
        self.bytes.append(contentsOf: name)
        self.bytes.append(0x0A)
        withUnsafeBytes(of: UInt64(value.count).littleEndian) { self.bytes.append(contentsOf: $0) }
        self.bytes.append(contentsOf: value)
        self.bytes.append(0x0A)
    }
}

extension Logger.Level {
    /// The level's number in syslog(3): 3 for errors to 7 for debugging.
    var priority: UInt8 { 7 - self.rawValue }
}
