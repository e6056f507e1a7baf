internal import Cryptography
internal import Locking
internal import Store

/// The calls that run now, by scope: one flight a scope, with everyone who waits for it.
///
/// One lock serves all loops; nothing is called out under it.
final class FlightTable: Sendable {
    /// What a waiting request learns.
    enum News: Sendable {
        /// The flight landed; `asOwner` for the request whose call it is.
        case landed(FlightResult, asOwner: Bool)
        /// The wait took too long.
        case timedOut
        /// The request's client has left.
        case left
    }

    /// How a request takes part.
    enum Entry: Sendable {
        /// The scope is free: this request flies, and lands the flight in every case.
        case owner(FlightID, Participant)
        /// The same request flies already.
        case waiter(Participant)
        /// The flight has landed, but its answer is not written yet.
        case landed(FlightResult)
        /// Another request flies under this key.
        case mismatch
    }

    /// A place among those who wait for a flight.
    struct Participant: Sendable {
        let scope: ScopeHash
        let serial: UInt64
        /// What its call would count against.
        let token: TokenUse?
        let waiting: Waiting<News>
    }

    private struct Flight {
        let id: FlightID
        /// Nil for a scope that is kept free of calls: whoever comes waits, whatever the request.
        let fingerprint: Digest256?
        var owner: UInt64?
        /// The token of the owner, also of one that has left since.
        var token: TokenUse?
        var participants: [Participant]
        var isSent = false
        var unwritten: FlightResult?
        /// Whether nobody tries to write it any more, so that nobody waits for that either.
        var isSetAside = false
    }

    private struct State {
        var flights: [ScopeHash: Flight] = [:]
        var serial: UInt64 = 0
        var setAsideCount = 0
        var idle: [Waiting<Void>] = []

        /// Flights that will end.
        var runningCount: Int { self.flights.count - self.setAsideCount }
    }

    private let process: UInt64
    private let state = Locked(State())

    /// - Parameter process: A random number that tells this run of the daemon from others.
    init(process: UInt64) {
        self.process = process
    }

    /// Tests for a flight and starts one if there is none.
    func enter(_ scope: ScopeHash, fingerprint: Digest256, token: TokenUse? = nil) -> Entry {
        self.state.withLock { state in
            state.serial += 1
            let participant = Participant(scope: scope, serial: state.serial, token: token, waiting: Waiting())
            guard var flight = state.flights[scope] else {
                let id = FlightID(process: self.process, serial: state.serial)
                state.flights[scope] = Flight(
                    id: id,
                    fingerprint: fingerprint,
                    owner: participant.serial,
                    token: token,
                    participants: [participant]
                )
                return .owner(id, participant)
            }
            guard flight.fingerprint ?? fingerprint == fingerprint else { return .mismatch }
            if let result = flight.unwritten { return .landed(result) }
            flight.participants.append(participant)
            state.flights[scope] = flight
            return .waiter(participant)
        }
    }

    /// Keeps a free scope free of calls until the flight is landed.
    ///
    /// - Returns: Nil when a call runs.
    func close(_ scope: ScopeHash) -> FlightID? {
        self.state.withLock { state in
            guard state.flights[scope] == nil else { return nil }
            state.serial += 1
            let id = FlightID(process: self.process, serial: state.serial)
            state.flights[scope] = Flight(id: id, fingerprint: nil, participants: [], isSent: true)
            return id
        }
    }

    /// Marks a flight as past its point of no return.
    ///
    /// - Returns: False when everyone has left before; the flight is gone then.
    func markSent(_ scope: ScopeHash, _ id: FlightID) -> Bool {
        self.state.withLock { state in
            guard var flight = state.flights[scope], flight.id == id else { return false }
            flight.isSent = true
            state.flights[scope] = flight
            return true
        }
    }

    /// The token that a flight counts against: that of the request whose call it is.
    func token(_ scope: ScopeHash, _ id: FlightID) -> TokenUse? {
        self.state.withLock { state in
            guard let flight = state.flights[scope], flight.id == id else { return nil }
            return flight.token
        }
    }

    /// Ends a flight and tells everyone; one that was given up changes nothing.
    ///
    /// - Parameter isWritten: False keeps the flight, so that its key is answered from here until ``forget(_:_:)``.
    func land(_ scope: ScopeHash, _ id: FlightID, with result: FlightResult, isWritten: Bool = true) {
        let (participants, owner, idle) = self.state.withLock { state in
            guard var flight = state.flights[scope], flight.id == id else {
                return ([Participant](), UInt64?.none, [Waiting<Void>]())
            }
            let participants = flight.participants
            flight.participants = []
            flight.unwritten = result
            state.flights[scope] = isWritten ? nil : flight
            return (participants, flight.owner, Self.takeIdle(&state))
        }
        for participant in participants {
            participant.waiting.resolve(.landed(result, asOwner: participant.serial == owner))
        }
        for waiting in idle { waiting.resolve(()) }
    }

    /// Tells all who wait that there is no time to wait any longer.
    ///
    /// What has been sent goes on and lands as it can; what has not is given up.
    func cut(sent: GatewayError, unsent: GatewayError) {
        let (flights, idle) = self.state.withLock { state in
            let flights = state.flights
            for scope in flights.keys {
                state.flights[scope]?.participants = []
                if state.flights[scope]?.isSent == false { state.flights[scope] = nil }
            }
            return (flights.values, Self.takeIdle(&state))
        }
        for flight in flights {
            for participant in flight.participants {
                let result = FlightResult.failed(flight.isSent ? sent : unsent)
                participant.waiting.resolve(.landed(result, asOwner: participant.serial == flight.owner))
            }
        }
        for waiting in idle { waiting.resolve(()) }
    }

    /// Removes a flight whose answer has been written late, or is not to be given any more.
    func forget(_ scope: ScopeHash, _ id: FlightID) {
        let idle = self.state.withLock { state in
            guard let flight = state.flights[scope], flight.id == id else { return [Waiting<Void>]() }
            if flight.isSetAside { state.setAsideCount -= 1 }
            state.flights[scope] = nil
            return Self.takeIdle(&state)
        }
        for waiting in idle { waiting.resolve(()) }
    }

    /// Keeps a landed flight for its key only: nothing waits for its end.
    func setAside(_ scope: ScopeHash, _ id: FlightID) {
        let idle = self.state.withLock { state in
            guard var flight = state.flights[scope], flight.id == id, !flight.isSetAside else {
                return [Waiting<Void>]()
            }
            flight.isSetAside = true
            state.flights[scope] = flight
            state.setAsideCount += 1
            return Self.takeIdle(&state)
        }
        for waiting in idle { waiting.resolve(()) }
    }

    /// Takes a participant out whose client has left.
    ///
    /// Before the call is sent the next one becomes the owner, and
    /// without a next one the flight is given up.
    func leave(_ participant: Participant) {
        self.remove(participant, with: .left) { _ in true }
    }

    /// Takes a waiter out that has waited long enough; an owner waits for its call however long it takes.
    func timeOut(_ participant: Participant) {
        self.remove(participant, with: .timedOut) { $0.owner != participant.serial }
    }

    /// Whether a call runs under this scope.
    func contains(_ scope: ScopeHash) -> Bool {
        self.state.withLock { $0.flights[scope] != nil }
    }

    /// How many requests wait for a flight.
    func participantCount(_ scope: ScopeHash) -> Int {
        self.state.withLock { $0.flights[scope]?.participants.count ?? 0 }
    }

    /// The flight that began last: all others began before it.
    var latest: FlightID {
        FlightID(process: self.process, serial: self.state.withLock { $0.serial })
    }

    /// From the flight that began first of those that run to the one that began last.
    var span: ClosedRange<FlightID> {
        self.state.withLock { state in
            let running = state.flights.values.lazy.filter { !$0.isSetAside }.map(\.id.serial)
            let latest = FlightID(process: self.process, serial: state.serial)
            return FlightID(process: self.process, serial: running.min() ?? state.serial)...latest
        }
    }

    /// The number of flights that will end.
    var count: Int { self.state.withLock { $0.runningCount } }

    /// Returns when no flight is left.
    func waitUntilIdle() async {
        let waiting = Waiting<Void>()
        let isIdle = self.state.withLock { state in
            if state.runningCount > 0 { state.idle.append(waiting) }
            return state.runningCount == 0
        }
        if !isIdle { await waiting.wait() }
    }

    private static func takeIdle(_ state: inout State) -> [Waiting<Void>] {
        guard state.runningCount == 0 else { return [] }
        defer { state.idle = [] }
        return state.idle
    }

    private func remove(_ participant: Participant, with news: News, if mayLeave: (Flight) -> Bool) {
        let (hasLeft, idle) = self.state.withLock { state in
            guard var flight = state.flights[participant.scope], mayLeave(flight),
                let index = flight.participants.firstIndex(where: { $0.serial == participant.serial })
            else { return (false, [Waiting<Void>]()) }
            flight.participants.remove(at: index)
            if flight.owner == participant.serial {
                let next = flight.isSent ? nil : flight.participants.first
                flight.owner = next?.serial
                if let next { flight.token = next.token }
            }
            let isGivenUp = !flight.isSent && flight.participants.isEmpty
            state.flights[participant.scope] = isGivenUp ? nil : flight
            return (true, Self.takeIdle(&state))
        }
        if hasLeft { participant.waiting.resolve(news) }
        for waiting in idle { waiting.resolve(()) }
    }
}
