/// Writes multipart/form-data around content that the caller sends itself, so that it is not copied.
///
/// The whole is, for each part, its head, its content and ``partEnd``, and then the closing delimiter.
public struct MultipartEncoder: Sendable {
    /// The boundary.
    public let boundary: String

    /// Takes a boundary that occurs in no part.
    ///
    /// - Parameter boundary: 1 to 70 bchars, the last one no space (RFC 2046, section 5.1.1).
    public init(boundary: String) {
        precondition(MultipartParser.isValidBoundary(boundary), "not a boundary")
        self.boundary = boundary
    }

    /// The value of the Content-Type field.
    public var contentType: String {
        let isToken = self.boundary.utf8.allSatisfy(HTTPToken.isTokenByte)
        return "multipart/form-data; boundary=" + (isToken ? self.boundary : "\"\(self.boundary)\"")
    }

    /// The bytes in front of a part's content.
    ///
    /// - Parameters:
    ///   - name: The name of the form field. Quotes and line ends are escaped as `%22`, `%0D` and `%0A`, and backslashes
    ///     that could be taken for escapes are doubled.
    ///   - filename: The file name, escaped likewise.
    ///   - contentType: The media type; a byte that no field may hold becomes a space.
    public func partHead(name: String, filename: String? = nil, contentType: String? = nil) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: "--".utf8)
        bytes.append(contentsOf: self.boundary.utf8)
        bytes.append(contentsOf: "\r\nContent-Disposition: form-data; name=\"".utf8)
        Self.append(escaped: name, to: &bytes)
        bytes.append(ASCII.quote)
        if let filename {
            bytes.append(contentsOf: "; filename=\"".utf8)
            Self.append(escaped: filename, to: &bytes)
            bytes.append(ASCII.quote)
        }
        if let contentType {
            bytes.append(contentsOf: "\r\nContent-Type: ".utf8)
            for byte in contentType.utf8 {
                bytes.append(HTTPToken.isFieldValueByte(byte) ? byte : ASCII.space)
            }
        }
        bytes.append(contentsOf: "\r\n\r\n".utf8)
        return bytes
    }

    /// The bytes behind a part's content.
    public static let partEnd = [ASCII.carriageReturn, ASCII.lineFeed]

    /// The bytes behind the last part.
    public var closing: [UInt8] { Array(("--" + self.boundary + "--\r\n").utf8) }

    private static func append(escaped text: String, to bytes: inout [UInt8]) {
        let text = text.utf8
        for index in text.indices {
            let byte = text[index]
            switch byte {
            case ASCII.quote: bytes.append(contentsOf: "%22".utf8)
            case ASCII.carriageReturn: bytes.append(contentsOf: "%0D".utf8)
            case ASCII.lineFeed: bytes.append(contentsOf: "%0A".utf8)
            case ASCII.backslash where self.isAmbiguous(text, backslashAt: index):
                bytes.append(contentsOf: "\\\\".utf8)
            default: bytes.append(HTTPToken.isFieldValueByte(byte) ? byte : ASCII.space)
            }
        }
    }

    /// Whether a reader could take the backslash for the escape of what follows it: of another one, or of the quote
    /// that ends the name.
    ///
    /// Any other stays as it is, as browsers and the reference client write it.
    private static func isAmbiguous(_ text: String.UTF8View, backslashAt index: String.Index) -> Bool {
        let isBehindAnother = text[..<index].last == ASCII.backslash
        let next = text[index...].dropFirst().first
        return isBehindAnother || next == nil || next == ASCII.backslash
    }
}
