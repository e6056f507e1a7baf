internal import HTTPWire

/// Reads the head of an answer line by line (RFC 9112, sections 4 and 5), skipping interim answers.
///
/// A line may end in a bare LF, which servers send; nothing else is borne that two readers could take differently.
struct ResponseHead {
    /// What is wrong with a head.
    enum Fault: Equatable {
        case malformed(StaticString)
        case tooLarge

        static func == (left: Fault, right: Fault) -> Bool {
            switch (left, right) {
            case (.tooLarge, .tooLarge): true
            case (.malformed(let left), .malformed(let right)): "\(left)" == "\(right)"
            default: false
            }
        }
    }

    /// How the content of the answer is delimited (RFC 9112, section 6.3).
    enum Framing: Equatable {
        case none
        case length(Int)
        case chunked
        /// By the end of the connection.
        case close
    }

    private enum State {
        case statusLine
        case fields
        case finished
    }

    /// The status code of the head that is being read.
    private(set) var status = 0
    /// How the content is delimited; of meaning once `isFinished`.
    private(set) var framing = Framing.none
    /// All bytes of heads so far.
    private(set) var byteCount = 0

    private let limit: Int
    private let isAnswerToHead: Bool
    private let maySwitch: Bool
    private var state = State.statusLine
    private var isHTTP10 = false
    private var storage: [UInt8] = []
    private var entries: [HTTPFields.Entry] = []
    private var contentLength: Int?
    private var isChunked = false
    private var saysClose = false
    private var saysKeepAlive = false

    /// The most fields of a head.
    static let maximumFields = 256

    /// Begins with nothing read.
    ///
    /// - Parameters:
    ///   - limit: The largest head in bytes, interim answers included.
    ///   - isAnswerToHead: Whether there is no content whatever the fields say.
    ///   - maySwitch: Whether the request asked for another protocol, so that 101 is a final answer. The default is false.
    init(limit: Int, isAnswerToHead: Bool, maySwitch: Bool = false) {
        self.limit = limit
        self.isAnswerToHead = isAnswerToHead
        self.maySwitch = maySwitch
    }

    /// Whether the head of the final answer is complete.
    var isFinished: Bool { self.state == .finished }

    /// Whether the connection may carry another exchange behind this one (RFC 9112, section 9.3).
    var isPersistent: Bool {
        !self.saysClose && (!self.isHTTP10 || self.saysKeepAlive) && self.framing != .close
    }

    /// The fields of the final answer.
    var fields: HTTPFields { HTTPFields(storage: self.storage, entries: self.entries) }

    /// Takes a line with its line end; what is wrong with it, or nil.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Fault? {
        self.byteCount += line.count
        guard self.byteCount <= self.limit else { return .tooLarge }
        guard line.last == 0x0A else { return .malformed("a line of the head does not end") }
        let end = line.count >= 2 && line[line.count - 2] == 0x0D ? line.count - 2 : line.count - 1
        let content = UnsafeRawBufferPointer(rebasing: line[..<end])
        switch self.state {
        case .statusLine: return self.takeStatusLine(content)
        case .fields: return content.isEmpty ? self.finish() : self.takeField(content)
        case .finished: preconditionFailure("a line behind the head")
        }
    }

    private mutating func takeStatusLine(_ line: UnsafeRawBufferPointer) -> Fault? {
        // "HTTP/1.1 200 OK"; the reason, and the space before it, may be missing.
        let isVersion1 = line.count >= 12 && line.starts(with: "HTTP/1.".utf8) && line[8] == UInt8(ascii: " ")
        guard isVersion1, line[7] == UInt8(ascii: "1") || line[7] == UInt8(ascii: "0") else {
            return .malformed("the status line is not one of HTTP/1.1")
        }
        var code = 0
        for byte in line[9..<12] {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else {
                return .malformed("the status code is not a number of three digits")
            }
            code = code * 10 + Int(byte - UInt8(ascii: "0"))
        }
        guard line.count == 12 || line[12] == UInt8(ascii: " ") else {
            return .malformed("the status code is not a number of three digits")
        }
        guard line[12...].allSatisfy(HTTPToken.isFieldValueByte) else {
            return .malformed("the status line holds a control character")
        }
        guard (100...599).contains(code), code != 101 || self.maySwitch else {
            return .malformed("the status code has no meaning here")
        }
        self.status = code
        self.isHTTP10 = line[7] == UInt8(ascii: "0")
        self.storage.reserveCapacity(512)
        self.entries.reserveCapacity(16)
        self.state = .fields
        return nil
    }

    private mutating func takeField(_ line: UnsafeRawBufferPointer) -> Fault? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line[..<colon].allSatisfy(HTTPToken.isTokenByte)
        else {
            return .malformed("a line of the head is no field")
        }
        var start = colon + 1
        var end = line.count
        while start < end, line[start] == 0x20 || line[start] == 0x09 { start += 1 }
        while end > start, line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
        guard line[start..<end].allSatisfy(HTTPToken.isFieldValueByte) else {
            return .malformed("a field value holds a control character")
        }
        guard self.entries.count < ResponseHead.maximumFields else { return .tooLarge }
        if let fault = self.takeFraming(name: line[..<colon], value: line[start..<end]) { return fault }
        let nameStart = self.storage.count
        self.storage.append(contentsOf: line[..<colon])
        let valueStart = self.storage.count
        self.storage.append(contentsOf: line[start..<end])
        self.entries.append(
            HTTPFields.Entry(name: nameStart..<valueStart, value: valueStart..<self.storage.count)
        )
        return nil
    }

    private mutating func takeFraming(
        name: Slice<UnsafeRawBufferPointer>,
        value: Slice<UnsafeRawBufferPointer>
    ) -> Fault? {
        if HTTPToken.equals(name, "content-length") {
            // 18 digits cannot overflow, and no answer is that long.
            guard (1...18).contains(value.count),
                value.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") })
            else { return .malformed("Content-Length is not a number") }
            let length = value.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            guard self.contentLength == nil || self.contentLength == length else {
                return .malformed("Content-Length is given twice and differs")
            }
            self.contentLength = length
        } else if HTTPToken.equals(name, "transfer-encoding") {
            guard !self.isChunked, HTTPToken.equals(value, "chunked") else {
                return .malformed("the transfer coding is not just chunked")
            }
            self.isChunked = true
        } else if HTTPToken.equals(name, "connection") {
            for option in value.split(separator: UInt8(ascii: ",")) {
                let option = option.drop { $0 == 0x20 || $0 == 0x09 }
                guard let last = option.lastIndex(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
                self.saysClose = self.saysClose || HTTPToken.equals(option[...last], "close")
                self.saysKeepAlive = self.saysKeepAlive || HTTPToken.equals(option[...last], "keep-alive")
            }
        }
        return nil
    }

    private mutating func finish() -> Fault? {
        if self.status < 200, self.status != 101 {
            // Interim: forget it and wait for the next head.
            self.storage.removeAll(keepingCapacity: true)
            self.entries.removeAll(keepingCapacity: true)
            self.contentLength = nil
            self.isChunked = false
            self.saysClose = false
            self.saysKeepAlive = false
            self.state = .statusLine
            return nil
        }
        if self.isChunked, self.contentLength != nil || self.isHTTP10 {
            // RFC 9112, section 6.3: ought to be handled as an error.
            return .malformed("Content-Length or HTTP/1.0 together with a transfer coding")
        }
        if self.isAnswerToHead || self.status == 101 || self.status == 204 || self.status == 304 {
            self.framing = .none
        } else if self.isChunked {
            self.framing = .chunked
        } else if let length = self.contentLength {
            self.framing = .length(length)
        } else {
            self.framing = .close
        }
        self.state = .finished
        return nil
    }
}
