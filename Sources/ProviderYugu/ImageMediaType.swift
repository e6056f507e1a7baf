/// The two kinds of pictures that the platform takes, told apart by their first bytes (contract yugu, section 4.1).
enum ImageMediaType: String {
    case png = "image/png"
    case jpeg = "image/jpeg"

    /// What content that begins with `prefix` is; 8 bytes suffice.
    init?(sniffing prefix: [UInt8]) {
        if prefix.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if prefix.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else {
            return nil
        }
    }

    /// The name of a file that has none.
    var fileName: String {
        switch self {
        case .png: "image.png"
        case .jpeg: "image.jpg"
        }
    }
}
