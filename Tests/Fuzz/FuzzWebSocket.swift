// Entry point of the fuzzer for WebSocket frames; scripts/fuzz.sh compiles it together with HTTPWire.

/// The first byte says how long the pieces are, its highest bit which end reads; the rest is what the other one sent.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWebSocket(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: data + 1, count: count - 1)
    let role: WebSocketRole = data[0] & 0x80 == 0 ? .server : .client
    let whole = WebSocketLog(bytes, role: role, pieceSize: bytes.count)
    let pieces = WebSocketLog(bytes, role: role, pieceSize: max(1, Int(data[0] & 0x7F)))
    precondition(whole == pieces, "the outcome depends on the cuts")
    whole.checkRoundTrip(role)
    return 0
}

/// What an end of a connection would have seen.
private struct WebSocketLog: Equatable {
    var messages: [WebSocketMessage] = []
    var open: WebSocketMessage?
    var pings: [[UInt8]] = []
    var close: WebSocketClose?
    var error: WebSocketError?

    init(_ bytes: UnsafeRawBufferPointer, role: WebSocketRole, pieceSize: Int) {
        var limits = WebSocketLimits()
        limits.frameBytes = 200
        limits.messageBytes = 300
        var parser = WebSocketParser(role: role, limits: limits)
        var start = 0
        do {
            while start < bytes.count {
                // A piece of its own: the address sanitizer sees every access beside it.
                var piece = Array(bytes[start..<min(bytes.count, start + pieceSize)])
                start += piece.count
                try piece.withUnsafeMutableBytes { lent in
                    var position = 0
                    while let event = try parser.next(in: lent, at: &position) { self.take(event) }
                    precondition(position == lent.count, "bytes were left")
                }
            }
        } catch {
            self.error = error as? WebSocketError
        }
    }

    private mutating func take(_ event: WebSocketEvent) {
        precondition(self.close == nil, "something came behind the close")
        switch event {
        case .data(let kind, let bytes, let endsMessage):
            precondition(!bytes.isEmpty || endsMessage, "a piece without bytes")
            var message = self.open ?? WebSocketMessage(kind: kind, bytes: [])
            message.bytes += bytes
            precondition(message.kind == kind && message.bytes.count <= 300, "a message outgrew its limit")
            self.open = endsMessage ? nil : message
            guard endsMessage else { return }
            precondition(kind == .binary || String(validating: message.bytes, as: UTF8.self) != nil, "not a text")
            self.messages.append(message)
        case .ping(let bytes): self.pings.append(bytes)
        case .pong: break
        case .close(let close): self.close = close
        }
    }

    /// What was read is written by the other end and read again.
    func checkRoundTrip(_ role: WebSocketRole) {
        let encoder = role == .server ? WebSocketEncoder.client { 0x1234_5678 } : .server
        var bytes: [UInt8] = []
        for message in self.messages { encoder.encode(message, into: &bytes) }
        for ping in self.pings { encoder.encode(.ping, ping, into: &bytes) }
        if let close = self.close { encoder.encode(close, into: &bytes) }
        let again = bytes.withUnsafeBytes { WebSocketLog($0, role: role, pieceSize: 7) }
        precondition(again.error == nil, "what was written is refused")
        precondition(again.messages == self.messages && again.pings == self.pings, "content changed")
        precondition(again.close == self.close, "the close changed")
    }
}
