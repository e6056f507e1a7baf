internal import EventLoop
internal import HTTPWire

/// The content of a request that has some.
final class ConnectionBody: HTTPRequestBody {
    private let connection: Connection
    let serial: UInt32
    let expectsContinue: Bool

    init(_ connection: Connection, serial: UInt32, expectsContinue: Bool) {
        self.connection = connection
        self.serial = serial
        self.expectsContinue = expectsContinue
    }

    func read(into consumer: any HTTPBodyConsumer, limit: Int) async throws {
        guard self.connection.loop.isCurrent else {
            try await self.readAfterHop(into: consumer, limit: limit)
            return
        }
        let connection = self.connection
        let serial = self.serial
        guard let reading = try connection.beginReading(self, into: consumer, limit: limit) else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                reading.wait(continuation)
            }
        } onCancel: {
            // Whoever cancels may be anywhere, even inside of a consumer.
            connection.loop.execute { connection.cancelReading(serial) }
        }
    }

    /// Comes from an actor inside of the responder: the task's preferred executor is the connection's loop.
    @concurrent
    private func readAfterHop(into consumer: any HTTPBodyConsumer, limit: Int) async throws {
        precondition(self.connection.loop.isCurrent, "content is read in the task that responds, or in its children")
        try await self.read(into: consumer, limit: limit)
    }
}

/// The content of a request that has none.
final class EmptyBody: HTTPRequestBody {
    static let shared = EmptyBody()

    func read(into consumer: any HTTPBodyConsumer, limit: Int) async throws {}
}

extension Connection {
    /// Starts to read content, and finishes it when it is all there.
    ///
    /// - Returns: The reading to wait for, or nil when the content is complete.
    func beginReading(_ body: ConnectionBody, into consumer: any HTTPBodyConsumer, limit: Int) throws -> BodyReading? {
        guard self.machine.phase == .handling, self.serial == body.serial else {
            throw HTTPRequestBodyError.disconnected
        }
        if case .length(let count) = self.framing, count > limit {
            throw HTTPRequestBodyError.tooLarge
        }
        let reading = BodyReading(
            consumer: consumer,
            limit: limit,
            framing: self.framing,
            limits: self.server.limits
        )
        self.machine.beganReading(within: reading.timeLimit, at: self.loop.roundTime, self.server.timeouts)
        self.reading = reading
        let hadInput = !(self.window?.isEmpty ?? self.pending.isEmpty)
        self.pumpAvailable()
        if let result = reading.result {
            try result.get()
            return nil
        }
        if self.machine.hasPeerEnded {
            self.failContent(HTTPRequestBodyError.disconnected)
            throw HTTPRequestBodyError.disconnected
        }
        if body.expectsContinue, !hadInput {
            self.sendContinue()
        }
        self.armTimer()
        self.watchInput()
        return reading
    }

    /// Throws unread content away if all of it came with its head, so that the connection can go on.
    func skipContent() {
        guard !(self.window?.isEmpty ?? self.pending.isEmpty) else { return }
        let reading = BodyReading(consumer: nil, limit: .max, framing: self.framing, limits: self.server.limits)
        self.reading = reading
        self.machine.beganReading(at: self.loop.roundTime, self.server.timeouts)
        self.pumpAvailable()
        if reading.result == nil {
            self.failContent(HTTPRequestBodyError.disconnected)
        }
    }

    /// Pushes what is there already.
    private func pumpAvailable() {
        guard self.window == nil else {
            self.pumpContent()
            return
        }
        let bytes = self.pending
        self.pending = []
        bytes.withUnsafeBytes { bytes in
            self.window = bytes
            self.pumpContent()
            self.stash()
        }
    }

    /// Pushes what the window holds to the consumer.
    func pumpContent() {
        guard let window = self.window, let reading = self.reading else { return }
        var consumed = 0
        do {
            let isComplete = try reading.take(window, consumed: &consumed)
            self.window = UnsafeRawBufferPointer(rebasing: window[consumed...])
            if isComplete {
                self.reading = nil
                self.machine.finishedContent()
                reading.finish(.success(()))
            } else {
                let limit = reading.timeLimit
                self.machine.receivedContent(consumed, within: limit, at: self.loop.roundTime, self.server.timeouts)
            }
        } catch {
            self.window = UnsafeRawBufferPointer(rebasing: window[consumed...])
            self.failContent(error)
        }
    }

    /// Ends the reading with an error: the connection will end behind the answer.
    func failContent(_ error: any Error) {
        self.machine.abandonedContent()
        self.pending = []
        self.endReading(throwing: error)
    }

    func endReading(throwing error: any Error) {
        let reading = self.reading
        self.reading = nil
        reading?.finish(.failure(error))
    }

    func cancelReading(_ serial: UInt32) {
        guard self.serial == serial, self.reading != nil else { return }
        self.failContent(CancellationError())
    }
}
