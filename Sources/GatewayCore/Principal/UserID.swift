/// The grammar of a user's name: `[A-Za-z0-9._:@-]{1,128}` (design, section 4, step 2).
enum UserID {
    static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...128).contains(bytes.count)
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "-"):
                    true
                default:
                    false
                }
            }
    }
}
