public import Store

extension PaidCalls {
    /// Whether a call runs under this scope now.
    public func isRunning(_ scope: CallScope) -> Bool {
        self.flights.contains(scope.hash)
    }

    /// The key that the platform sees for a scope.
    public func upstreamKey(of scope: CallScope) -> String {
        scope.upstreamKey(secret: self.upstreamKeySecret)
    }

    /// Whether the store takes writes, as far as is known.
    public var isStoreWritable: Bool { !self.trouble.isTroubled }

    /// Brings what was counted in memory to the store; what it does not take stays for the next time.
    public func flushUsage() async throws(StoreError) {
        try await self.usage.flush(to: self.store)
    }

    /// The call that began last.
    var latestFlight: FlightID { self.flights.latest }

    /// The number of calls that run now.
    public var runningCount: Int { self.flights.count }

    /// Ends a call of unknown outcome by the operator's word.
    ///
    /// - Parameter isBilled: False frees the key; true keeps it from ever being sent again.
    /// - Throws: ``StoreError``; code `conflict` while the call runs.
    public func settle(_ scope: CallScope, isBilled: Bool) async throws(StoreError) -> Settlement {
        guard let flight = self.flights.close(scope.hash) else {
            throw StoreError(code: .conflict, message: "A call with this key is running; settle it when it has ended.")
        }
        // Requests that came meanwhile begin anew.
        defer { self.flights.land(scope.hash, flight, with: .failed(.inProgress)) }
        return try await self.store.settle(scope.hash, billed: isBilled)
    }
}
