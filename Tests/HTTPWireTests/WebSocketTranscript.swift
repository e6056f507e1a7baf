import HTTPWire
import TestSupport

/// What an end of a WebSocket connection gets to see, joined so that it does not depend on cuts.
struct WebSocketTranscript: Equatable, CustomStringConvertible {
    enum Item: Equatable {
        case message(WebSocketMessage)
        case ping([UInt8])
        case pong([UInt8])
        case close(WebSocketClose)
        case error(WebSocketError)
    }

    var items: [Item] = []
    /// The message that has begun and not ended.
    var open: WebSocketMessage?
    /// Whether an event came where it must not.
    var isOutOfOrder = false

    var description: String { "\(self.items) open \(self.open.map { "\($0)" } ?? "none")" }

    init(
        role: WebSocketRole,
        limits: WebSocketLimits = .init(),
        feed: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) {
        var parser = WebSocketParser(role: role, limits: limits)
        do {
            try feed { lent in
                // The parser unmasks in place, and what is lent here is not to be written to.
                let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: lent.count, alignment: 1)
                defer { memory.deallocate() }
                memory.copyMemory(from: lent)
                var position = 0
                while let event = try parser.next(in: memory, at: &position) { self.take(event) }
                self.isOutOfOrder = self.isOutOfOrder || position != lent.count
            }
        } catch let error as WebSocketError {
            self.items.append(.error(error))
        } catch {
            self.isOutOfOrder = true
        }
    }

    private mutating func take(_ event: WebSocketEvent) {
        if case .close = self.items.last { self.isOutOfOrder = true }
        switch event {
        case .data(let kind, let bytes, let endsMessage):
            self.isOutOfOrder = self.isOutOfOrder || bytes.isEmpty && !endsMessage
            var message = self.open ?? WebSocketMessage(kind: kind, bytes: [])
            self.isOutOfOrder = self.isOutOfOrder || message.kind != kind
            message.bytes += bytes
            self.open = endsMessage ? nil : message
            if endsMessage { self.items.append(.message(message)) }
        case .ping(let bytes): self.items.append(.ping(bytes))
        case .pong(let bytes): self.items.append(.pong(bytes))
        case .close(let close): self.items.append(.close(close))
        }
    }

    /// The transcript of the whole input, and what differs from it when the input is cut.
    static func verified(
        _ bytes: [UInt8],
        role: WebSocketRole,
        limits: WebSocketLimits = .init()
    ) -> (WebSocketTranscript, problems: String) {
        let whole = WebSocketTranscript(role: role, limits: limits) { take in try bytes.withUnsafeBytes(take) }
        let differences = ParserVerifier.differences(of: bytes, expected: whole) { feed in
            WebSocketTranscript(role: role, limits: limits, feed: feed)
        }
        let order = whole.isOutOfOrder ? ["an event out of order"] : []
        return (whole, (order + differences.map(\.description)).joined(separator: "\n"))
    }
}
