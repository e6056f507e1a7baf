import HTTPWire
import TestSupport

/// What a connection that runs parser and decoder in turn gets to see, joined so that it does not depend on cuts.
struct HTTP1Transcript: Equatable, CustomStringConvertible {
    enum Outcome: Equatable {
        /// A request with all of its content.
        case request(Request)
        /// A request whose content has not ended.
        case unfinished(Request)
        /// The head was refused.
        case rejected(Int)
        /// The content was refused.
        case malformedContent(Request, isTooLarge: Bool)
        /// The parser took nothing and gave nothing.
        case stuck
    }

    struct Request: Equatable {
        var method: String
        var target: String
        var path: String
        var query: String?
        var authority: String?
        var version: HTTPRequestHead.Version
        var fields: [String]
        var framing: HTTPRequestHead.Framing
        var isPersistent: Bool
        var expectsContinue: Bool
        var content: [UInt8] = []

        init(_ head: HTTPRequestHead) {
            self.method = head.method.token
            self.target = head.target
            self.path = head.path
            self.query = head.query
            self.authority = head.authority
            self.version = head.version
            self.fields = (0..<head.fields.count).map { "\(head.fields.name(at: $0)): \(head.fields.value(at: $0))" }
            self.framing = head.framing
            self.isPersistent = head.isPersistent
            self.expectsContinue = head.expectsContinue
        }
    }

    var outcomes: [Outcome] = []
    /// Why the last message was refused, if it was.
    var reason: String?

    var description: String { "\(self.outcomes) \(self.reason ?? "")" }

    /// Feeds pieces to a connection until it has to be closed.
    init(limits: HTTP1Limits = .init(), feed: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) {
        var connection = Connection(limits: limits)
        try? feed { try connection.take($0) }
        self.outcomes = connection.outcomes
        self.reason = connection.reason
        if let request = connection.current { self.outcomes.append(.unfinished(request)) }
    }

    /// Feeds all bytes in one piece.
    init(_ bytes: [UInt8], limits: HTTP1Limits = .init()) {
        self.init(limits: limits) { take in try bytes.withUnsafeBytes(take) }
    }

    private struct Closed: Error {}

    private struct Connection {
        let limits: HTTP1Limits
        var parser: HTTP1RequestParser
        var decoder: HTTP1BodyDecoder?
        var current: Request?
        var outcomes: [Outcome] = []
        var reason: String?
        var isClosed = false

        init(limits: HTTP1Limits) {
            self.limits = limits
            self.parser = HTTP1RequestParser(limits: limits)
        }

        mutating func take(_ bytes: UnsafeRawBufferPointer) throws {
            guard !self.isClosed else { throw Closed() }
            var rest = bytes
            while !rest.isEmpty, !self.isClosed {
                var consumed = 0
                if var decoder = self.decoder, var request = self.current {
                    self.current = nil
                    do {
                        let isComplete = try decoder.decode(rest, consumed: &consumed) { request.content += $0 }
                        self.decoder = isComplete ? nil : decoder
                        if isComplete { self.finish(request) } else { self.current = request }
                    } catch let error as HTTPRequestBodyError {
                        self.fail(error, request)
                        return
                    }
                    if consumed == 0, self.decoder != nil { return self.stop(.stuck) }
                } else {
                    do throws(HTTPRejection) {
                        if let head = try self.parser.parse(rest, consumed: &consumed) {
                            self.begin(head)
                        } else if consumed != rest.count {
                            return self.stop(.stuck)
                        }
                    } catch {
                        self.reason = error.message
                        return self.stop(.rejected(error.status.code))
                    }
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
            }
        }

        private mutating func begin(_ head: HTTPRequestHead) {
            let decoder = HTTP1BodyDecoder(framing: head.framing, limits: self.limits)
            if decoder.isComplete {
                self.finish(Request(head))
            } else {
                self.decoder = decoder
                self.current = Request(head)
            }
        }

        private mutating func finish(_ request: Request) {
            self.outcomes.append(.request(request))
            if !request.isPersistent { self.isClosed = true }
        }

        private mutating func fail(_ error: HTTPRequestBodyError, _ request: Request) {
            if case .malformed(let reason) = error { self.reason = reason }
            self.current = nil
            self.stop(.malformedContent(request, isTooLarge: error == .tooLarge))
        }

        private mutating func stop(_ outcome: Outcome) {
            self.outcomes.append(outcome)
            self.isClosed = true
        }
    }
}

extension HTTP1Transcript {
    /// The transcript of the whole input, after making sure that no way of cutting it changes anything.
    static func verified(_ text: String, limits: HTTP1Limits = .init()) -> (HTTP1Transcript, problems: String) {
        self.verified(Array(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }), limits: limits)
    }

    static func verified(_ bytes: [UInt8], limits: HTTP1Limits = .init()) -> (HTTP1Transcript, problems: String) {
        let whole = HTTP1Transcript(bytes, limits: limits)
        let differences = ParserVerifier.differences(of: bytes, expected: whole) { feed in
            HTTP1Transcript(limits: limits, feed: feed)
        }
        return (whole, differences.map(\.description).joined(separator: "\n"))
    }
}
