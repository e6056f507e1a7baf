internal import HTTPWire

/// The id that ties a request, its answer and its log lines together.
enum RequestID {
    /// The client's own id when it is a harmless one (`[A-Za-z0-9._-]{1,64}`), else a fresh one.
    static func make(from head: HTTPRequestHead) -> String {
        guard let given = head.fields[.xRequestID], (1...64).contains(given.utf8.count),
            given.utf8.allSatisfy(Self.isAllowed)
        else { return UniqueID.next() }
        return given
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default:
            false
        }
    }
}
