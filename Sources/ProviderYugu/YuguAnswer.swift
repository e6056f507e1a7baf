internal import GatewayCore
internal import HTTPWire
internal import JSONScan

/// Reads the platform's answers by scanning their bytes (contract yugu, sections 4.3, 6.2, 9.1 and 12).
enum YuguAnswer {
    /// An evaluation: a bare object that has a result or a record id, and is not one of several.
    ///
    /// - Parameter measuringAudio: Whether the platform's word on the recording's length is wanted.
    static func classifyEvaluation(
        _ response: HTTPTransportResponse,
        measuringAudio: Bool = false
    ) -> PlatformAnswer {
        // A body with a result was paid for, whatever else it says (contract yugu, section 6.2).
        Self.classify(response) { scanner in
            guard var facts = Self.evaluationFacts(in: scanner) else { return nil }
            if measuringAudio { facts.audioMilliseconds = Self.audioMilliseconds(in: scanner) }
            return facts
        }
    }

    /// What is kept of a result, be it an answer or a frame; nil for what is none.
    static func evaluationFacts(in scanner: JSONScanner) -> AnswerFacts? {
        if let eof = scanner.value(at: "eof"), eof.kind == .number, scanner.int(of: eof) != 1 { return nil }
        let recordID = scanner.value(at: "recordId").flatMap { scanner.string(of: $0) }
        guard recordID != nil || scanner.value(at: "result")?.kind == .object else { return nil }
        let overall = scanner.value(at: "result", "overall") ?? scanner.value(at: "result", "connected_overall")
        return AnswerFacts(recordID: recordID, overall: overall.flatMap { scanner.double(of: $0) })
    }

    private static func audioMilliseconds(in scanner: JSONScanner) -> Int64? {
        let value = scanner.value(at: "result", "numeric_duration") ?? scanner.value(at: "result", "duration_s")
        guard let seconds = value.flatMap({ scanner.double(of: $0) }), (0...86_400).contains(seconds) else {
            return nil
        }
        return Int64((seconds * 1000).rounded(.up))
    }

    /// Speech or a report: an envelope with data; a success with a code is none (contract yugu, section 6.2).
    static func classifyEnvelope(_ response: HTTPTransportResponse) -> PlatformAnswer {
        Self.classify(response) { scanner in
            guard Self.code(in: scanner, member: "code") == nil, scanner.value(at: "data")?.kind == .object else {
                return nil
            }
            return AnswerFacts()
        }
    }

    private static func classify(
        _ response: HTTPTransportResponse,
        facts: (JSONScanner) -> AnswerFacts?
    ) -> PlatformAnswer {
        let isSuccess = (200..<300).contains(response.status)
        guard let scanner = try? JSONScanner(validating: response.body), scanner.root?.kind == .object else {
            return isSuccess ? .malformed : .codeless
        }
        if isSuccess, let facts = facts(scanner) {
            return .answered(facts)
        }
        if let code = Self.code(in: scanner) { return .coded(ErrorTable.code(code, status: response.status)) }
        return isSuccess ? .malformed : .codeless
    }

    /// The code of an error body: `code`, else `errId`, else a bracketed number that begins `detail`, else `detail.code`.
    static func code(in scanner: JSONScanner) -> Int? {
        if let code = Self.code(in: scanner, member: "code") ?? Self.code(in: scanner, member: "errId") { return code }
        guard let detail = scanner.value(at: "detail") else { return nil }
        if let text = scanner.string(of: detail) { return Self.bracketed(text) }
        return scanner.value(at: "detail", "code").flatMap { Self.number($0, in: scanner) }
    }

    private static func code(in scanner: JSONScanner, member: String) -> Int? {
        scanner.value(at: member).flatMap { Self.number($0, in: scanner) }
    }

    /// A non-zero number, or a string that spells one.
    private static func number(_ value: JSONValueRange, in scanner: JSONScanner) -> Int? {
        let number = scanner.int(of: value) ?? scanner.string(of: value).flatMap { Int($0) }
        return number == 0 ? nil : number
    }

    private static func bracketed(_ text: String) -> Int? {
        guard text.first == "[", let end = text.firstIndex(of: "]") else { return nil }
        let digits = text[text.index(after: text.startIndex)..<end]
        guard (1...6).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(digits)
    }
}
