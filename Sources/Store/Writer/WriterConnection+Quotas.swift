extension WriterConnection {
    /// Counts what a claim reserves as used, and keeps what it is.
    func reserve(_ reservations: [Reservation], claim: Int64) throws(StoreError) {
        for reservation in reservations {
            try self.quotas.use.run {
                $0.bind(reservation.owner, at: 1)
                $0.bind(reservation.day, at: 2)
                $0.bind(reservation.audioMilliseconds, at: 3)
            }
            try self.quotas.reserve.run {
                $0.bind(claim, at: 1)
                $0.bind(reservation.owner, at: 2)
                $0.bind(reservation.day, at: 3)
                $0.bind(reservation.audioMilliseconds, at: 4)
            }
        }
    }

    /// What a claim has reserved.
    func reservations(claim: Int64) throws(StoreError) -> [Reservation] {
        try self.quotas.reserved.all {
            $0.bind(claim, at: 1)
        } reading: {
            $0.reservation()
        }
    }

    /// Returns what a claim has reserved: it was not executed.
    func giveBackReservations(claim: Int64) throws(StoreError) {
        try self.quotas.giveBackUsage.run { $0.bind(claim, at: 1) }
        try self.endReservations(claim: claim)
    }

    /// Makes what a claim has reserved used for good.
    ///
    /// - Parameter audioMilliseconds: What the call took; nil when that is what was reserved, as far as is known.
    func settleReservations(claim: Int64, audioMilliseconds: Int64?) throws(StoreError) {
        if let audioMilliseconds {
            try self.quotas.settleUsage.run {
                $0.bind(claim, at: 1)
                $0.bind(audioMilliseconds, at: 2)
            }
        }
        try self.endReservations(claim: claim)
    }

    /// Moves a running claim to another account, with what it has reserved.
    ///
    /// - Returns: False when the row does not carry the flight any more, or may have been executed.
    func move(
        row: Int64,
        flight: FlightID,
        to appKey: String,
        reserving reservations: [Reservation]
    ) throws(StoreError)
        -> Bool
    {
        guard let state = try self.claimState(row: row, flight: flight), !state.isUnresolved, !state.isSettledBilled
        else {
            return false
        }
        try self.quotas.move.run {
            $0.bind(row, at: 1)
            $0.bind(appKey, at: 2)
        }
        try self.giveBackReservations(claim: row)
        try self.reserve(reservations, claim: row)
        return true
    }

    /// Deletes the days of quotas that nobody asks about any more.
    ///
    /// - Parameter now: Unix time in milliseconds.
    /// - Returns: How many rows went.
    func expireDays(now: Int64, limit: Int) throws(StoreError) -> Int {
        // Days begin at most a day apart, and three of each quota are kept.
        try self.quotas.deleteOldDays.run {
            $0.bind(now / 86_400_000 - 4, at: 1)
            $0.bind(limit, at: 2)
        }
        return self.database.changes
    }

    private func endReservations(claim: Int64) throws(StoreError) {
        try self.quotas.end.run { $0.bind(claim, at: 1) }
    }
}

extension Statement {
    /// Reads the columns `owner`, `day` and `audio_ms`.
    func reservation() -> Reservation {
        Reservation(owner: self.text(at: 0), day: Int(self.integer(at: 1)), audioMilliseconds: self.integer(at: 2))
    }
}
