internal import Foundation

/// JSON as an independent reader understands it: Foundation's, not ours.
public enum JSONText {
    /// The text of a top-level member: a string as it is, anything else as Foundation prints it; nil when absent or null.
    public static func member(_ name: String, of bytes: [UInt8]) -> String? {
        guard let object = Self.object(bytes), let value = object[name], !(value is NSNull) else { return nil }
        if let number = value as? NSNumber, CFBooleanLike.isBoolean(number) {
            return number.boolValue ? "true" : "false"
        }
        return (value as? String) ?? "\(value)"
    }

    /// The port of the URL in a top-level member, or nil.
    public static func port(_ name: String, of bytes: [UInt8]) -> UInt16? {
        Self.member(name, of: bytes).flatMap { URL(string: $0)?.port }.flatMap { UInt16(exactly: $0) }
    }

    /// The outermost object, or nil.
    public static func object(_ bytes: [UInt8]) -> [String: Any]? {
        try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    }
}

private enum CFBooleanLike {
    static func isBoolean(_ number: NSNumber) -> Bool {
        String(cString: number.objCType) == "c"
    }
}
