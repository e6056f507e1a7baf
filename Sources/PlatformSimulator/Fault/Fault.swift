import HTTPWire

/// Something that goes wrong on purpose (contract yugu, section 15; design, section 8).
enum Fault: Hashable, Sendable {
    /// Bytes that are answered as they are, in place of any processing.
    struct ServedFile: Hashable, Sendable {
        var status: Int
        var contentType: String
        var body: [UInt8]
    }

    /// Answer at once without processing.
    case answer(MadeUpAnswer)
    /// Answer at once with these bytes; only queued, never read from a text.
    case serve(ServedFile)
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
    /// Let a realtime session go wrong; without effect on other requests.
    case session(SessionFault)
    /// Process; speech made by this request is found at an address of this form.
    case audioURL(AudioURLForm)

    /// Reads `verb`, `verb:argument` or `verb:argument:option=value:…`; nil for anything else.
    init?(_ text: String) {
        let colon = text.firstIndex(of: ":")
        let verb = colon.map { String(text[..<$0]) } ?? text
        let argument = colon.map { String(text[text.index(after: $0)...]) }
        let fault: Fault? =
            switch (verb, argument) {
            case ("status", let argument?): MadeUpAnswer(status: argument).map { .answer($0) }
            case ("code", let argument?): MadeUpAnswer(code: argument).map { .answer($0) }
            case ("engine", let argument?): MadeUpAnswer(engine: argument).map { .answer($0) }
            case ("html", let argument?): MadeUpAnswer(html: argument).map { .answer($0) }
            case ("delay", let argument?): Self.milliseconds(argument).map { .delay($0) }
            case ("slow", let argument?): Self.milliseconds(argument).map { .slow($0) }
            case ("trickle", let argument?): Self.milliseconds(argument).map { .trickle($0) }
            case ("drop", nil): .drop
            case ("hang", nil): .hang
            case ("bill-drop", nil): .billDrop
            case ("garbage", nil): .garbage
            case ("length", let argument?):
                Self.number(argument, within: 1 << 30).flatMap { $0 == 0 ? nil : .length($0) }
            case ("clock", let argument?): Self.number(argument, within: Self.clockRange).map { .clock($0) }
            case ("rotate-secret", let argument?):
                PercentCoding.decode(argument).flatMap { $0.isEmpty ? nil : .rotateSecret($0) }
            case ("audio-url", let argument?): AudioURLForm(argument).map { .audioURL($0) }
            case _ where verb.hasPrefix("ws-"): SessionFault(verb: verb.dropFirst(3), argument).map { .session($0) }
            default: nil
            }
        guard let fault else { return nil }
        self = fault
    }

    /// The most seconds that a clock may be off: a hundred years.
    static let clockRange = 100 * 365 * 86_400

    static func milliseconds(_ text: String) -> Duration? {
        guard let count = Int(text), (0...86_400_000).contains(count) else { return nil }
        return .milliseconds(count)
    }

    private static func number(_ text: String, within limit: Int) -> Int? {
        Int(text).flatMap { (-limit...limit).contains($0) ? $0 : nil }
    }
}

/// How the address of made speech is written (contract yugu, section 6.1).
enum AudioURLForm: Hashable, Sendable {
    /// With scheme and host, the simulator's own.
    case absolute
    /// Beginning with `/audio/`, to be put behind the base URL and `/tts`.
    case path
    /// This text, wherever it leads.
    case fixed(String)

    /// How it is written, but for the encoding.
    var text: String {
        switch self {
        case .absolute: "absolute"
        case .path: "path"
        case .fixed(let address): address
        }
    }

    /// Reads `absolute`, `path` or a percent-encoded address.
    init?(_ text: String) {
        switch text {
        case "": return nil
        case "absolute": self = .absolute
        case "path": self = .path
        default:
            guard let address = PercentCoding.decode(text) else { return nil }
            self = .fixed(address)
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
