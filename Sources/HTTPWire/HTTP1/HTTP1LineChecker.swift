/// Checks the lines of a head byte by byte, and so finds an error before its line has ended.
///
/// It decides which byte of a head is refused and why. ``HTTP1HeadScanner`` is faster and asks it about everything that
/// it does not accept, so that a head is refused for the same reason however it was cut into pieces.
struct HTTP1LineChecker: Sendable {
    /// What a byte completed.
    enum Progress {
        /// Nothing yet.
        case inside
        /// A line with content.
        case line
        /// The empty line behind the fields.
        case emptyLine
    }

    private enum State: UInt8 {
        case methodStart, method, targetStart, target, version
        case fieldStart, fieldName, fieldValue
        case lineFeed, finalLineFeed
    }

    private var state: State
    private var lineLength = 0
    private var versionLength = 0
    private(set) var fieldCount = 0

    private init(state: State, fieldCount: Int) {
        self.state = state
        self.fieldCount = fieldCount
    }

    /// A checker that stands before a request line.
    static var requestLine: HTTP1LineChecker { HTTP1LineChecker(state: .methodStart, fieldCount: 0) }

    /// A checker that stands before a field line.
    ///
    /// - Parameter fieldCount: The number of field lines already seen.
    static func field(after fieldCount: Int) -> HTTP1LineChecker {
        HTTP1LineChecker(state: .fieldStart, fieldCount: fieldCount)
    }

    /// Takes the next byte.
    mutating func advance(_ byte: UInt8, limits: HTTP1Limits) throws(HTTPRejection) -> Progress {
        switch self.state {
        case .fieldStart: try self.startField(byte, limits)
        case .fieldName: try self.continueName(byte)
        case .fieldValue: try self.continueValue(byte)
        case .lineFeed, .finalLineFeed: return try self.endLine(byte)
        case .methodStart, .method, .targetStart, .target, .version:
            guard self.lineLength < limits.requestLine || (self.state == .version && byte == ASCII.carriageReturn)
            else {
                throw .requestLineTooLong
            }
            self.lineLength += 1
            try self.continueRequestLine(byte)
        }
        return .inside
    }

    private mutating func continueRequestLine(_ byte: UInt8) throws(HTTPRejection) {
        switch self.state {
        case .methodStart, .method:
            if self.state == .method, byte == ASCII.space {
                self.state = .targetStart
            } else if ByteSet.token.contains(byte) {
                self.state = .method
            } else {
                throw Self.refused(byte, otherwise: .malformedRequestLine)
            }
        case .targetStart, .target:
            if self.state == .target, byte == ASCII.space {
                self.state = .version
            } else if ByteSet.visible.contains(byte) {
                self.state = .target
            } else {
                let isControl = byte != ASCII.space && byte != ASCII.carriageReturn
                throw Self.refused(byte, otherwise: isControl ? .malformedTarget : .malformedRequestLine)
            }
        default:
            if byte == ASCII.carriageReturn, self.versionLength == 8 {
                self.state = .lineFeed
            } else if ByteSet.visible.contains(byte), self.versionLength < 8 {
                self.versionLength += 1
            } else {
                throw Self.refused(byte, otherwise: .malformedVersion)
            }
        }
    }

    private mutating func startField(_ byte: UInt8, _ limits: HTTP1Limits) throws(HTTPRejection) {
        if byte == ASCII.carriageReturn {
            self.state = .finalLineFeed
            return
        }
        guard self.fieldCount < limits.fieldCount else { throw .tooManyFields }
        if ByteSet.token.contains(byte) {
            self.fieldCount += 1
            self.state = .fieldName
        } else if ASCII.isBlank(byte) {
            throw .malformed("A line begins with white space; a field must stand on one line.")
        } else {
            throw Self.refused(byte, otherwise: .malformed("A field line does not begin with a field name."))
        }
    }

    private mutating func continueName(_ byte: UInt8) throws(HTTPRejection) {
        if byte == ASCII.colon {
            self.state = .fieldValue
        } else if !ByteSet.token.contains(byte) {
            throw Self.refused(byte, otherwise: .malformed("A field name is not followed by a colon at once."))
        }
    }

    private mutating func continueValue(_ byte: UInt8) throws(HTTPRejection) {
        if byte == ASCII.carriageReturn {
            self.state = .lineFeed
        } else if !HTTPToken.isFieldValueByte(byte) {
            throw Self.refused(byte, otherwise: .malformed("A field value holds a control character."))
        }
    }

    private mutating func endLine(_ byte: UInt8) throws(HTTPRejection) -> Progress {
        guard byte == ASCII.lineFeed else { throw .bareCarriageReturn }
        let isEnd = self.state == .finalLineFeed
        self.state = .fieldStart
        self.lineLength = 0
        self.versionLength = 0
        return isEnd ? .emptyLine : .line
    }

    private static func refused(_ byte: UInt8, otherwise: HTTPRejection) -> HTTPRejection {
        byte == ASCII.lineFeed ? .bareLineFeed : otherwise
    }
}
