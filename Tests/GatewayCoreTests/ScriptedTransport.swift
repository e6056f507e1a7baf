import HTTPWire
import Locking

/// A platform in a test's own words: each attempt takes the next step.
final class ScriptedTransport: HTTPTransport {
    enum Step: Sendable {
        case answer(Int, String, fields: [(HTTPField.Name, String)] = [])
        case fail(HTTPTransportError.Reason, bytesSent: Int)
        /// Answers when the gate opens.
        case hold(Gate, Int, String)
    }

    private let steps: Locked<[Step]>
    private let taken = Locked<[HTTPTransportRequest]>([])

    init(_ steps: [Step]) {
        self.steps = Locked(steps)
    }

    var requests: [HTTPTransportRequest] { self.taken.withLock { $0 } }

    func execute(_ request: HTTPTransportRequest) async throws(HTTPTransportError) -> HTTPTransportResponse {
        self.taken.withLock { $0.append(request) }
        guard let step = self.steps.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
            throw HTTPTransportError(reason: .refused, bytesSent: 0, detail: "the script has ended")
        }
        switch step {
        case .answer(let status, let body, let fields):
            return Self.response(status, body, fields)
        case .fail(let reason, let bytesSent):
            throw HTTPTransportError(reason: reason, bytesSent: bytesSent, detail: "scripted")
        case .hold(let gate, let status, let body):
            await gate.wait()
            return Self.response(status, body, [])
        }
    }

    private static func response(
        _ status: Int,
        _ body: String,
        _ extra: [(HTTPField.Name, String)]
    ) -> HTTPTransportResponse {
        var fields = HTTPFields()
        fields.append(.contentType, "application/json")
        for (name, value) in extra { fields.append(name, value) }
        return HTTPTransportResponse(status: status, fields: fields, body: Array(body.utf8))
    }
}

/// Holds tasks until it is opened.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var arrivals = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    func wait() async {
        await withCheckedContinuation { continuation in
            let (isOpen, watchers) = self.state.withLock { state in
                state.arrivals += 1
                if !state.isOpen { state.waiting.append(continuation) }
                let due = state.watchers.filter { $0.count <= state.arrivals }
                state.watchers.removeAll { $0.count <= state.arrivals }
                return (state.isOpen, due)
            }
            for watcher in watchers { watcher.continuation.resume() }
            if isOpen { continuation.resume() }
        }
    }

    /// Returns when that many tasks stand at the gate.
    func arrived(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = self.state.withLock { state in
                if state.arrivals < count { state.watchers.append((count, continuation)) }
                return state.arrivals >= count
            }
            if isThere { continuation.resume() }
        }
    }

    func open() {
        let waiting = self.state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
