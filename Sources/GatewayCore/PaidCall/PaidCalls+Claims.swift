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

    /// Answers that were paid for and are not stored: those that wait for the store, and those that it does not take.
    public var unwrittenCounts: (waiting: Int, aside: Int) { self.trouble.unwrittenCounts }

    /// Brings what was counted in memory to the store; what it does not take stays for the next time.
    public func flushUsage() async throws(StoreError) {
        while true {
            // Asked first: who is erased after this is not named by what is taken now.
            let flight = self.flights.latest
            guard let part = self.usage.take() else { return }
            do throws(StoreError) {
                try await self.store.addUsage(part.rows, countedUpTo: flight)
                self.usage.finish(part, isWritten: true)
            } catch {
                self.usage.finish(part, isWritten: false)
                throw error
            }
        }
    }

    /// Forgets in memory who a user was that is being erased, and what is kept there of its calls.
    ///
    /// - Returns: The calls that run now or ran last: of calls up to the latest one nothing is stored.
    func erase(client: String, user: String) -> ClosedRange<FlightID> {
        self.usage.makeAnonymous(client: client, user: user)
        self.trouble.erase(client: client, user: user)
        return self.flights.span
    }

    /// The number of calls that run now.
    public var runningCount: Int { self.flights.count }

    /// Ends a call of unknown outcome by the operator's word.
    ///
    /// - Parameter isBilled: False frees the key; true keeps it from ever being sent again.
    /// - Throws: ``StoreError``; code `conflict` while the call runs.
    public func settle(_ scope: CallScope, isBilled: Bool) async throws(StoreError) -> Settlement {
        self.trouble.giveUp(scope.hash)
        guard let flight = self.flights.close(scope.hash) else {
            throw StoreError(code: .conflict, message: "A call with this key is running; settle it when it has ended.")
        }
        // Requests that came meanwhile begin anew.
        defer { self.flights.land(scope.hash, flight, with: .failed(.inProgress)) }
        // Known before the row goes, so that the quotas in memory learn of what comes back, once.
        let reserved = isBilled ? [] : self.quotas.adopt(try self.store.reservations(of: scope.hash))
        do throws(StoreError) {
            let settlement = try await self.store.settle(scope.hash, billed: isBilled)
            if settlement == .deleted { self.quotas.giveBack(reserved) } else { self.quotas.keep(reserved) }
            return settlement
        } catch {
            self.quotas.keep(reserved)
            throw error
        }
    }
}
