import HTTPWire

/// Something that goes wrong on purpose (contract yugu, section 15; design, section 8).
enum Fault: Hashable, Sendable {
    /// An answer that is made up, in place of any processing.
    struct MadeUpAnswer: Hashable, Sendable {
        var status: Int
        var code: Int
        var retryAfter: String?
        var message = "injected fault"
        /// The text of an engine-style body.
        var detail: String?
        var isHTML = false
    }

    /// Answer at once without processing.
    case answer(MadeUpAnswer)
    /// Wait, then process; the key is not registered meanwhile.
    case delay(Duration)
    /// Register the key, then process slowly.
    case slow(Duration)
    /// Close without processing and without an answer.
    case drop
    /// Never answer.
    case hang
    /// Evaluate, bill and store; then close without an answer.
    case billDrop
    /// Process; the declared length is off by so many bytes.
    case length(Int)
    /// Answer with something that is not HTTP, without processing.
    case garbage
    /// Set the platform's clock off by so many seconds until the reset, then process.
    case clock(Int)
    /// Process; the body leaves in slices with this pause between them.
    case trickle(Duration)
    /// Give the account of the request a new secret until the reset, then process.
    case rotateSecret(String)

    /// Reads `verb`, `verb:argument` or `status:<n>:option=value:…`; nil for anything else.
    init?(_ text: String) {
        let colon = text.firstIndex(of: ":")
        let verb = colon.map { String(text[..<$0]) } ?? text
        let argument = colon.map { String(text[text.index(after: $0)...]) }
        switch (verb, argument) {
        case ("status", let argument?):
            guard let answer = MadeUpAnswer(argument) else { return nil }
            self = .answer(answer)
        case ("delay", let argument?):
            guard let pause = Self.milliseconds(argument) else { return nil }
            self = .delay(pause)
        case ("slow", let argument?):
            guard let pause = Self.milliseconds(argument) else { return nil }
            self = .slow(pause)
        case ("trickle", let argument?):
            guard let pause = Self.milliseconds(argument) else { return nil }
            self = .trickle(pause)
        case ("drop", nil): self = .drop
        case ("hang", nil): self = .hang
        case ("bill-drop", nil): self = .billDrop
        case ("garbage", nil): self = .garbage
        case ("length", let argument?):
            guard let offset = Int(argument), offset != 0, abs(offset) <= 1 << 30 else { return nil }
            self = .length(offset)
        case ("clock", let argument?):
            guard let offset = Int(argument), abs(offset) <= 100 * 365 * 86_400 else { return nil }
            self = .clock(offset)
        case ("rotate-secret", let argument?):
            guard let secret = PercentCoding.decode(argument), !secret.isEmpty else { return nil }
            self = .rotateSecret(secret)
        default: return nil
        }
    }

    private static func milliseconds(_ text: String) -> Duration? {
        guard let count = Int(text), (0...86_400_000).contains(count) else { return nil }
        return .milliseconds(count)
    }
}

extension Fault.MadeUpAnswer {
    /// Reads what follows `status:`.
    init?(_ text: String) {
        var options = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let status = Int(options.removeFirst()), (200...599).contains(status) else { return nil }
        self.init(status: status, code: Self.code(of: status))
        for option in options {
            let halves = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2, let value = PercentCoding.decode(String(halves[1])) else { return nil }
            switch halves[0] {
            case "code":
                guard let code = Int(value) else { return nil }
                self.code = code
            case "retryAfter": self.retryAfter = value
            case "message": self.message = value
            case "detail": self.detail = value
            case "raw" where value == "html": self.isHTML = true
            default: return nil
            }
        }
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

extension PercentCoding {
    /// The decoded value of the first parameter of that name in a query.
    static func parameter(_ name: String, of query: String?) -> String? {
        for pair in (query ?? "").split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if let first = halves.first, Self.decode(String(first)) == name {
                return halves.count == 2 ? Self.decode(String(halves[1])) : ""
            }
        }
        return nil
    }
}
