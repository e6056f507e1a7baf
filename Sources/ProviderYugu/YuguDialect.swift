internal import Cryptography
internal import GatewayCore
internal import HTTPWire
internal import JSONScan

/// The frames of realtime evaluation in its two forms (contract yugu, sections 10.1 to 10.5).
struct YuguDialect: RealtimeDialect {
    static let nativePath = "/api/v1/ws/evaluate"

    /// Of the client: a frame of audio in Base64 is the deepest and largest that there is use for.
    private static let maximumDepth = 16

    let surface: EvaluateSurface
    /// The platform's REST base.
    let baseURL: String

    var path: String {
        switch self.surface {
        case .native: Self.nativePath
        case .compat(let name): "/" + name.rawValue
        }
    }

    var operation: String {
        switch self.surface {
        case .native: "realtime"
        case .compat: "realtimeCompat"
        }
    }

    // MARK: The client's side

    func read(clientFrame frame: [UInt8]) -> ClientFrame {
        let scanner: JSONScanner
        do {
            scanner = try JSONScanner(
                validating: frame,
                maximumDepth: Self.maximumDepth,
                refusingDuplicateMembers: true
            )
        } catch {
            return .refused(.invalid("The frame is not a JSON object: \(error)."))
        }
        guard let root = scanner.root, root.kind == .object else {
            return .refused(.invalid("The frame is not a JSON object."))
        }
        guard let command = scanner.value(at: "cmd") else {
            guard case .compat(let name) = self.surface else { return .refused(Self.unknownCommand) }
            if let end = scanner.value(at: "end"), scanner.bool(of: end) == true { return .end }
            return self.begin { () throws(GatewayError) in
                try RoundParameters(compat: frame, scanner, root: root, name: name)
            }
        }
        switch (scanner.string(of: command), self.surface) {
        case ("start", .native):
            return self.begin { () throws(GatewayError) in try RoundParameters(native: frame, scanner, root: root) }
        case ("audio", _):
            guard let data = scanner.value(at: "data"), let audio = scanner.base64(of: data) else {
                return .refused(.invalid("'data' must be audio in Base64."))
            }
            return .audio(audio)
        case ("end", _): return .end
        case ("ping", _): return .ping
        default: return .refused(Self.unknownCommand)
        }
    }

    private func begin(_ make: () throws(GatewayError) -> RoundParameters) -> ClientFrame {
        do {
            return .parameters(try make())
        } catch {
            return .refusedParameters(error)
        }
    }

    private static let unknownCommand = GatewayError.invalid("'cmd' must be start, audio, end or ping.")

    var connected: [UInt8] {
        switch self.surface {
        case .native: Array(#"{"event":"connected","message":"stream channel ready"}"#.utf8)
        case .compat(let name): Array(#"{"event":"connected","coreType":"\#(name.rawValue)"}"#.utf8)
        }
    }

    func started(key: String?) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("event", "started")
            if case .compat(let name) = self.surface { json.member("coreType", name.rawValue) }
            if let key { json.member("idempotencyKey", key) }
        }
        return json.bytes
    }

    func pong(at time: Int64) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("event", "pong")
            json.member("ts", time)
        }
        return json.bytes
    }

    func refusal(_ error: GatewayError, requestID: String, at time: Int64) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("event", "error")
            error.write(to: &json, requestID: requestID, timestamp: time)
        }
        return json.bytes
    }

    func warning(_ findings: [RealtimeWarning]) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("event", "warning")
            json.array("warnings") { json in
                for finding in findings {
                    json.object { json in
                        json.member("code", finding.code)
                        json.member("name", finding.name)
                        json.member("message", finding.message)
                    }
                }
            }
        }
        return json.bytes
    }

    func result(_ frame: [UInt8], isReplayed: Bool) -> [UInt8] {
        var frame = frame
        if let member = JSONScanner(frame).memberRange(of: "replayed") { frame.removeSubrange(member) }
        guard isReplayed, let brace = frame.lastIndex(of: UInt8(ascii: "}")) else { return frame }
        // A result has other members; it would be none otherwise.
        frame.insert(contentsOf: #","replayed":true"#.utf8, at: brace)
        return frame
    }

    func progress(_ frame: [UInt8], droppingWords count: Int, inPlaceOf waiting: [UInt8]?) -> [UInt8] {
        ProgressFrame.frame(frame, droppingWords: count, inPlaceOf: waiting)
    }

    // MARK: The platform's side

    func handshake(account: Account, timestamp: Int64, nonce: String) -> String {
        var query = [("appKey", account.appKey), ("timestamp", String(timestamp)), ("nonce", nonce)]
        let payload = RequestSignature.payload(of: query.map { (name: $0.0, value: $0.1) })
        query.append(("signature", RequestSignature.signature(of: payload, secretKey: account.secretKey)))
        let text = query.map { "\($0.0)=\(PercentCoding.encode($0.1))" }.joined(separator: "&")
        // https: becomes wss:, and http: ws:.
        return "ws" + self.baseURL.dropFirst(4) + self.path + "?" + text
    }

    func parameters(_ parameters: RoundParameters, key: String) -> [UInt8] {
        parameters.frame(withKey: key)
    }

    var end: [UInt8] { Array(#"{"cmd":"end"}"#.utf8) }

    func read(platformFrame frame: [UInt8]) -> RealtimeSession.Message {
        guard let scanner = try? JSONScanner(validating: frame), scanner.root?.kind == .object else {
            return .malformed
        }
        let event = scanner.value(at: "event").flatMap { scanner.string(of: $0) }
        switch event {
        case "connected": return .connected
        case "started": return .started
        case "error":
            let code = YuguAnswer.code(in: scanner).map { ErrorTable.code($0, status: 0) }
            return .refusal(RealtimeSession.PlatformRefusal(code: code, content: frame))
        case "pong": return .other
        default: break
        }
        guard let eof = scanner.value(at: "eof") else { return event == "result" ? .malformed : .other }
        guard scanner.int(of: eof) == 1 else { return .progress(Self.progress(in: scanner)) }
        return YuguAnswer.evaluationFacts(in: scanner) == nil ? .malformed : .result
    }

    private static func progress(in scanner: JSONScanner) -> ReadingProgress? {
        guard let units = scanner.value(at: "result", "progress"), units.kind == .array else { return nil }
        var progress = ReadingProgress(readUnits: 0, matchedUnits: 0)
        for unit in scanner.elements(of: units) {
            if scanner.value(at: ["read"], in: unit)?.kind == .true { progress.readUnits += 1 }
            if scanner.value(at: ["matched"], in: unit)?.kind == .true { progress.matchedUnits += 1 }
        }
        if let words = scanner.value(at: "result", "words"), words.kind == .array {
            for _ in scanner.elements(of: words) { progress.newWords += 1 }
        }
        return progress
    }

    func facts(of frame: [UInt8]) -> AnswerFacts {
        YuguAnswer.evaluationFacts(in: JSONScanner(frame)) ?? AnswerFacts()
    }

    func refusal(of response: HTTPTransportResponse) -> RealtimeSession.PlatformRefusal {
        var code: PlatformCode?
        if let scanner = try? JSONScanner(validating: response.body), scanner.root?.kind == .object {
            code = YuguAnswer.code(in: scanner).map { ErrorTable.code($0, status: response.status) }
        }
        return RealtimeSession.PlatformRefusal(code: code, status: response.status, content: response.body)
    }

    func frame(of refusal: RealtimeSession.PlatformRefusal) -> [UInt8]? {
        guard refusal.status != nil else { return refusal.content }
        let scanner = JSONScanner(refusal.content)
        guard let code = refusal.code else { return nil }
        var json = JSONWriter()
        json.object { json in
            json.member("event", "error")
            json.member("code", code.value)
            json.member("message", scanner.value(at: "message").flatMap { scanner.string(of: $0) } ?? "")
        }
        return json.bytes
    }
}

extension JSONScanner {
    /// The bytes that a string spells in Base64, or nil.
    fileprivate func base64(of value: JSONValueRange) -> [UInt8]? {
        self.string(of: value).flatMap { Base64.decode($0) }
    }

    /// A member of the outermost object with the comma that it would leave behind.
    fileprivate func memberRange(of name: String) -> Range<Int>? {
        guard let root = self.root else { return nil }
        var start: Int?
        var previousEnd = root.range.lowerBound + 1
        for member in self.members(of: root) {
            // With a member in front, the comma in front goes; else the one behind.
            if let start { return start..<member.name.range.lowerBound }
            if member.key == name {
                guard previousEnd == root.range.lowerBound + 1 else {
                    return previousEnd..<member.value.range.upperBound
                }
                start = member.name.range.lowerBound
            }
            previousEnd = member.value.range.upperBound
        }
        return start.map { $0..<previousEnd }
    }
}
