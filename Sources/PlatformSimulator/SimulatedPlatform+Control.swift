extension SimulatedPlatform {
    // MARK: Faults

    /// A text that names no fault.
    public struct UnknownFault: Error, Sendable {
        /// The text.
        public let text: String
    }

    /// Queues a fault.
    ///
    /// - Parameters:
    ///   - fault: As the control path takes it, such as `status:503` or `bill-drop`.
    ///   - match: How the path of the request begins that it is for; nil for any.
    ///   - times: How many requests it is for. The default is 1.
    /// - Throws: ``UnknownFault``.
    public func inject(_ fault: String, match: String? = nil, times: Int = 1) throws {
        guard let parsed = Fault(fault) else { throw UnknownFault(text: fault) }
        let item = FaultQueue.Item(match: match, text: fault, fault: parsed, times: times)
        _ = self.state.withLock { $0.faults.append([item]) }
    }

    /// Queues bytes that are answered as they are, in place of any processing.
    ///
    /// - Parameters:
    ///   - file: For instance a recorded answer.
    ///   - status: The status. The default is 200.
    ///   - contentType: The value of Content-Type. The default is `application/json`.
    ///   - match: How the path of the request begins that they are for; nil for any.
    ///   - times: How many requests they are for. The default is 1.
    public func serve(
        _ file: [UInt8],
        status: Int = 200,
        contentType: String = "application/json",
        match: String? = nil,
        times: Int = 1
    ) {
        let item = FaultQueue.Item(file: file, status: status, contentType: contentType, match: match, times: times)
        _ = self.state.withLock { $0.faults.append([item]) }
    }

    /// How many faults wait for their requests.
    public var waitingFaults: Int { self.state.withLock { $0.faults.count } }

    // MARK: Settings

    /// Changes how long evaluations take.
    public func setProcessingTime(_ time: Duration) {
        self.state.withLock { $0.processingTime = time }
    }

    /// Sets the platform's clock off by so many seconds; 0 puts it right.
    public func setClockOffset(_ seconds: Int) {
        self.state.setClockOffset(seconds)
    }

    /// Forgets requests, bills, keys, records and faults, and puts clock and accounts back to what they were.
    public func reset() {
        self.state.reset()
    }
}
