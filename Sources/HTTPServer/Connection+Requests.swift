internal import EventLoop
internal import Glibc
internal import HTTPWire

extension Connection {
    /// Parses a head that comes in pieces.
    final class Parser {
        var value: HTTP1RequestParser
        var method = MethodSniffer()

        init(_ value: HTTP1RequestParser) {
            self.value = value
        }
    }

    func parseHead(_ window: UnsafeRawBufferPointer) {
        var consumed = 0
        do throws(HTTPRejection) {
            let head: HTTPRequestHead?
            if let parser = self.parser {
                parser.method.look(at: window)
                head = try parser.value.parse(window, consumed: &consumed)
            } else {
                head = try self.server.parser.parse(window, consumed: &consumed)
            }
            self.window = UnsafeRawBufferPointer(rebasing: window[consumed...])
            if let head {
                self.parser = nil
                self.start(head)
            } else {
                if self.parser == nil {
                    let parser = Parser(self.server.takeParser())
                    parser.method.look(at: window)
                    self.parser = parser
                }
                self.machine.receivedPartOfHead(at: self.loop.roundTime, self.server.timeouts)
                self.armTimer()
            }
        } catch {
            var method = MethodSniffer()
            if let parser = self.parser {
                method = parser.method
            } else {
                method.look(at: window)
                self.server.renewParser()
            }
            self.reject(error, to: method.isHead ? .head : .get)
        }
    }

    private func start(_ head: HTTPRequestHead) {
        self.serial &+= 1
        self.server.countRequest()
        let serial = self.serial
        let body: any HTTPRequestBody
        self.framing = head.framing
        switch head.framing {
        case .none, .length(0):
            self.machine.receivedHead(hasContent: false, isPersistent: head.isPersistent)
            body = EmptyBody.shared
        case .length, .chunked:
            self.machine.receivedHead(hasContent: true, isPersistent: head.isPersistent)
            body = ConnectionBody(self, serial: serial, expectsContinue: head.expectsContinue)
        }
        let request = HTTPRequest(head: head, body: body, peerAddress: self.peerAddress)
        // Immediate: content that came with the head can still be lent from the scratch buffer.
        let task = Task.immediate(executorPreference: self.loop.executor) {
            let response = await self.server.responder.respond(to: request)
            self.answer(response, to: request.head.method, version: request.head.version, serial: serial)
        }
        if self.serial == serial, self.machine.phase == .handling {
            self.task = task
        }
    }

    /// Answers without asking the responder for more than the answer's form, and ends the connection.
    ///
    /// - Parameter method: HEAD if the request began so, else anything.
    func reject(_ rejection: HTTPRejection, to method: HTTPMethod = .get) {
        self.parser = nil
        self.serial &+= 1
        self.machine.rejected()
        var response = self.server.responder.response(to: rejection)
        if rejection.status.code == 503, !response.fields.contains(.retryAfter) {
            response.fields.append(.retryAfter, "1")
        }
        self.answer(response, to: method, version: .http11, serial: self.serial)
    }

    // MARK: - Answers

    private func answer(
        _ response: HTTPResponse,
        to method: HTTPMethod,
        version: HTTPRequestHead.Version,
        serial: UInt32
    ) {
        precondition(self.loop.isCurrent, "a responder returned outside of its connection's loop")
        // The client may have left meanwhile.
        guard self.machine.phase == .handling, self.serial == serial else { return }
        self.task = nil
        if self.machine.content == .reading {
            // A stray reader of the responder is still there.
            self.failContent(HTTPRequestBodyError.disconnected)
        } else if self.machine.content == .unread {
            self.skipContent()
        }
        var response = response
        let irregularity = self.server.irregularResponder?.irregularity(of: &response)
        if irregularity == nil { self.agreeToUpgrade(&response) }
        let hasInput = !self.pending.isEmpty || !(self.window?.isEmpty ?? true)
        let isChunked = HTTP1ResponseEncoder.isChunked(response, to: version)
        let endsWithConnection = !isChunked && response.stream.map { $0.length == nil } ?? false
        let keepAlive = self.machine.answered(hasInput: hasInput, endsWithConnection: endsWithConnection)
        var head: [UInt8] = []
        head.reserveCapacity(512)
        HTTP1ResponseEncoder.encodeHead(
            of: response,
            to: method,
            version: version,
            keepAlive: keepAlive,
            date: self.server.date,
            into: &head
        )
        let sendsContent = HTTP1ResponseEncoder.sendsContent(of: response, to: method)
        if let irregularity {
            let body = sendsContent ? response.body : []
            self.send(IrregularOutput(irregularity, head: head, body: body))
            return
        }
        if sendsContent, let stream = response.stream {
            self.stream = OutgoingStream(stream, isChunked: isChunked)
            self.send(head, [])
            return
        }
        self.send(head, sendsContent ? response.body : [])
    }

    /// The last byte of an answer has left.
    func answerIsOut() {
        if self.performUpgrade() { return }
        if self.continueStream() || self.continueIrregularly() { return }
        switch self.machine.wroteAll(at: self.loop.roundTime, self.server.timeouts) {
        case .nextRequest:
            self.armTimer()
            // Inside of `consume`, that goes on by itself.
            if self.window == nil {
                self.resumeInput()
            }
        case .close:
            self.close()
        case .linger:
            self.pending = []
            guard shutdown(self.descriptor, Int32(SHUT_WR)) == 0 else {
                self.close()
                return
            }
            self.armTimer()
            self.watchInput()
        }
    }
}
