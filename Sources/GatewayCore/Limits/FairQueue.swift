/// A bounded queue that is fair between clients: first come, first served within a client, turns between them.
///
/// Turns are taken by deficit round-robin: in each round a client is served as many times as it has weight. With every
/// call costing one place that is all integers and constant time, and nothing has to be remembered of clients that do
/// not wait; start-time fair queueing would spread a client's share over the round, at the price of tags that outlive
/// their calls. A client that comes stands at the end of the round: it is served before any other has had two turns.
///
/// A client may have at most `weight` waiting calls for each free place beyond the one it takes (a dynamic threshold).
/// Alone, at weight 1, it fills half of the queue; the more it fills, the sooner it is refused; the last free place is
/// always for a client that has none.
struct FairQueue<Waiter: Sendable>: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Names a waiter; one that was served or has left names nothing.
    struct Ticket: Hashable, Sendable {
        fileprivate let serial: UInt64
    }

    /// Why a call may not wait.
    enum Refusal: Error, Sendable {
        /// The queue is full.
        case full
        /// The client has too many waiting calls for the places that are left.
        case share
    }

    /// Who is served, and whose time was over before.
    struct Turn {
        /// The next waiter, or nil when none is left.
        var next: Waiter?
        /// Those whose deadline has come; they have left.
        var expired: [Waiter] = []
    }

    private struct Place {
        let waiter: Waiter
        let client: String
        let deadline: Instant
        var previous: Ticket?
        var next: Ticket?
    }

    /// The waiters of one client, and its place in the ring of turns.
    private struct Line {
        var first: Ticket
        var last: Ticket
        var count = 1
        var weight: Int
        /// How often it may still be served in this round.
        var credit: Int
        var previous: String
        var next: String
    }

    /// The most waiters; fewer than there are only keeps others from coming.
    var capacity: Int
    private var serial: UInt64 = 0
    private var places: [Ticket: Place] = [:]
    private var lines: [String: Line] = [:]
    /// Whose turn it is.
    private var turn: String?

    /// Makes an empty queue.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Waiters in all.
    var count: Int { self.places.count }

    /// The earliest deadline; looks at all waiters, which only a timer that went off has to.
    var nextDeadline: Instant? { self.places.values.lazy.map(\.deadline).min() }

    /// Puts a waiter at the end of its client's line.
    ///
    /// - Parameters:
    ///   - weight: The client's share of the turns, at least 1; the last one given holds.
    ///   - deadline: When it no longer wants to be served.
    mutating func enqueue(
        _ waiter: Waiter,
        client: String,
        weight: Int = 1,
        deadline: Instant
    ) throws(Refusal) -> Ticket {
        let weight = max(1, weight)
        let free = self.capacity - self.places.count
        guard free > 0 else { throw .full }
        let line = self.lines[client]
        guard line?.count ?? 0 <= weight * (free - 1) else { throw .share }
        self.serial += 1
        let ticket = Ticket(serial: self.serial)
        self.places[ticket] = Place(waiter: waiter, client: client, deadline: deadline, previous: line?.last)
        if var line {
            self.places[line.last]?.next = ticket
            line.last = ticket
            line.count += 1
            line.weight = weight
            line.credit = min(line.credit, weight)
            self.lines[client] = line
        } else {
            self.joinRing(client, ticket, weight: weight)
        }
        return ticket
    }

    /// Takes out the waiter whose turn it is; those whose deadline has come cost their client no turn.
    mutating func dequeue(at now: Instant) -> Turn {
        var result = Turn()
        while let client = self.turn, let line = self.lines[client], let place = self.places[line.first] {
            _ = self.remove(line.first)
            guard now < place.deadline else {
                result.expired.append(place.waiter)
                continue
            }
            result.next = place.waiter
            // Without waiters it has left the ring already.
            guard line.count > 1 else { break }
            let isOver = line.credit == 1
            self.lines[client]?.credit = isOver ? line.weight : line.credit - 1
            if isOver { self.turn = line.next }
            break
        }
        return result
    }

    /// Takes out a waiter wherever it stands.
    ///
    /// - Returns: Nil when it was served or has left.
    mutating func remove(_ ticket: Ticket) -> Waiter? {
        guard let place = self.places.removeValue(forKey: ticket), var line = self.lines[place.client] else {
            return nil
        }
        guard line.count > 1 else {
            self.leaveRing(place.client, line)
            return place.waiter
        }
        line.count -= 1
        if let previous = place.previous {
            self.places[previous]?.next = place.next
        } else if let next = place.next {
            line.first = next
        }
        if let next = place.next {
            self.places[next]?.previous = place.previous
        } else if let previous = place.previous {
            line.last = previous
        }
        self.lines[place.client] = line
        return place.waiter
    }

    /// Takes out all whose deadline has come, in order of arrival; looks at all waiters.
    mutating func removeExpired(at now: Instant) -> [Waiter] {
        let tickets = self.places.filter { $0.value.deadline <= now }.keys
        return tickets.sorted { $0.serial < $1.serial }.compactMap { self.remove($0) }
    }

    private mutating func joinRing(_ client: String, _ ticket: Ticket, weight: Int) {
        // Just before the one whose turn it is.
        let next = self.turn ?? client
        let previous = self.lines[next]?.previous ?? client
        self.lines[client] = Line(
            first: ticket,
            last: ticket,
            weight: weight,
            credit: weight,
            previous: previous,
            next: next
        )
        self.lines[previous]?.next = client
        self.lines[next]?.previous = client
        self.turn = next
    }

    private mutating func leaveRing(_ client: String, _ line: Line) {
        self.lines[client] = nil
        self.lines[line.previous]?.next = line.next
        self.lines[line.next]?.previous = line.previous
        if self.turn == client { self.turn = line.next == client ? nil : line.next }
    }
}
