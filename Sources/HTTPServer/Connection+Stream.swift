internal import EventLoop
internal import HTTPWire

/// Content that goes out as it comes.
final class OutgoingStream {
    let source: any HTTPContentSource
    let isChunked: Bool
    /// Bytes that were promised and have not come yet; nil when none were promised.
    var left: Int?
    var isEnded = false

    init(_ stream: HTTPContentStream, isChunked: Bool) {
        self.source = stream.source
        self.isChunked = isChunked
        self.left = stream.length
    }
}

extension Connection {
    /// Asks for the next piece when the one before is out; false when there is none and the answer has ended.
    ///
    /// Only then: a client that reads slowly is all that a stream waits for, and one piece is all that is kept for it.
    func continueStream() -> Bool {
        guard let stream = self.stream else { return false }
        guard !stream.isEnded else {
            self.stream = nil
            return false
        }
        self.machine.wroteSome(at: self.loop.roundTime, self.server.timeouts)
        self.armTimer()
        let serial = self.serial
        // Not immediate: a source that always has something would go deeper with each piece.
        self.task = Task(executorPreference: self.loop.executor) {
            let piece: Result<[UInt8]?, any Error>
            do {
                piece = .success(try await stream.source.next())
            } catch {
                piece = .failure(error)
            }
            self.send(piece, of: stream, serial: serial)
        }
        return true
    }

    private func send(_ piece: Result<[UInt8]?, any Error>, of stream: OutgoingStream, serial: UInt32) {
        precondition(self.loop.isCurrent, "a stream went on outside of its connection's loop")
        // The client may have left meanwhile.
        guard self.machine.phase == .answering, self.serial == serial, self.stream === stream else { return }
        self.task = nil
        guard case .success(let bytes) = piece else {
            // What was promised will not come, and only a broken connection says so.
            self.abort()
            return
        }
        if let left = stream.left {
            let count = bytes?.count ?? 0
            guard count <= left, bytes != nil || left == 0 else {
                self.abort()
                return
            }
            stream.left = left - count
        }
        stream.isEnded = bytes == nil
        guard stream.isChunked else {
            self.send(bytes ?? [], [])
            return
        }
        var chunk: [UInt8] = []
        HTTP1ResponseEncoder.encodeChunk(bytes ?? [], into: &chunk)
        self.send(chunk, [])
    }
}
