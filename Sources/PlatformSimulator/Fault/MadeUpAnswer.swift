import HTTPWire

extension Fault {
    /// An answer that is made up, in place of any processing.
    struct MadeUpAnswer: Hashable, Sendable {
        /// The forms in which the engine behind the platform words an error (contract yugu, section 9.1).
        enum EngineForm: String, Hashable, Sendable {
            /// `{"detail":"text"}`
            case string
            /// `{"detail":"[2001] text"}`
            case bracket
            /// `{"detail":[{"msg":"text"}]}`
            case array
            /// `{"detail":{"code":2001,"message":"text"}}`
            case object
        }

        /// How the body is written.
        enum Form: Hashable, Sendable {
            case platform
            case engine(EngineForm)
            case html
        }

        var status: Int
        var code: Int
        var retryAfter: String?
        var message = "injected fault"
        var form = Form.platform
    }
}

extension Fault.MadeUpAnswer {
    /// Reads what follows `status:`.
    init?(status text: String) {
        var options = Self.options(text)
        guard let status = Self.status(options.removeFirst()) else { return nil }
        self.init(status: status, code: Self.code(of: status))
        guard self.take(options, allowing: ["code", "retryAfter", "message", "detail", "raw"]) else { return nil }
    }

    /// Reads what follows `code:`, where the table of codes says the rest.
    init?(code text: String) {
        var options = Self.options(text)
        guard let entry = PlatformCode(String(options.removeFirst())) else { return nil }
        self.init(
            status: entry.status,
            code: entry.code,
            retryAfter: entry.retryAfter.map { String($0) },
            message: entry.message
        )
        guard self.take(options, allowing: ["status", "retryAfter", "message"]) else { return nil }
    }

    /// Reads what follows `engine:`.
    init?(engine text: String) {
        var options = Self.options(text)
        guard options.count >= 2, let status = Self.status(options.removeFirst()),
            let form = EngineForm(rawValue: String(options.removeFirst()))
        else { return nil }
        self.init(status: status, code: Self.code(of: status), form: .engine(form))
        guard self.take(options, allowing: ["code", "retryAfter", "message"]) else { return nil }
    }

    /// Reads what follows `html:`.
    init?(html text: String) {
        var options = Self.options(text)
        guard let status = Self.status(options.removeFirst()) else { return nil }
        self.init(status: status, code: Self.code(of: status), form: .html)
        guard self.take(options, allowing: ["retryAfter"]) else { return nil }
    }

    private static func options(_ text: String) -> [Substring] {
        text.split(separator: ":", omittingEmptySubsequences: false)
    }

    private static func status(_ text: Substring) -> Int? {
        Int(text).flatMap { (200...599).contains($0) ? $0 : nil }
    }

    /// Reads `name=value` with a percent-encoded value; false when one of them means nothing.
    private mutating func take(_ options: [Substring], allowing names: Set<Substring>) -> Bool {
        for option in options {
            let halves = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, names.contains(halves[0]), let value = PercentCoding.decode(String(halves[1]))
            else {
                return false
            }
            switch halves[0] {
            case "status":
                guard let status = Self.status(Substring(value)) else { return false }
                self.status = status
            case "code":
                guard let code = Int(value) else { return false }
                self.code = code
            case "retryAfter": self.retryAfter = value
            case "message": self.message = value
            case "detail":
                self.message = value
                self.form = .engine(.string)
            default:
                guard value == "html" else { return false }
                self.form = .html
            }
        }
        return true
    }

    /// The code that goes with a status when none is given.
    private static func code(of status: Int) -> Int {
        switch status {
        case 401: 40_100
        case 403: 40_300
        case 404: 40_400
        case 409: 40_900
        case 429: 42_900
        case 502: 50_200
        case 500...: 50_000
        default: 40_001
        }
    }
}

extension Reply {
    /// An answer that a fault asked for.
    init(_ fault: Fault.MadeUpAnswer, timestamp: Int) {
        switch fault.form {
        case .platform:
            self.init(
                PlatformError(fault.status, fault.code, fault.message, retryAfter: fault.retryAfter),
                timestamp: timestamp
            )
        case .html:
            let page = "<html><head><title>\(fault.status)</title></head><body>simulated proxy page</body></html>\n"
            self.init(status: fault.status, body: Array(page.utf8))
            self.contentType = "text/html"
            self.retryAfter = fault.retryAfter
        case .engine(let form):
            var writer = AnswerWriter()
            writer.raw(#"{"detail":"#)
            switch form {
            case .string:
                writer.string(fault.message)
            case .bracket:
                writer.string("[\(fault.code)] \(fault.message)")
            case .array:
                writer.raw(#"[{"loc":["body"],"msg":"#)
                writer.string(fault.message)
                writer.raw(#","type":"value_error"}]"#)
            case .object:
                writer.raw(#"{"code":"#)
                writer.integer(fault.code)
                writer.raw(#","message":"#)
                writer.string(fault.message)
                writer.raw("}")
            }
            writer.raw("}")
            self.init(status: fault.status, body: writer.bytes)
            self.retryAfter = fault.retryAfter
        }
    }
}
