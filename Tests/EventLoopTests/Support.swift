import EventLoop
import Glibc
import Locking
import Testing

func socketPair() throws -> (Int32, Int32) {
    var pair: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    return (pair[0], pair[1])
}

/// Waits until there is something that another thread brings about; the test fails when there is not in 60 s.
func eventually<Value>(
    _ value: () -> Value?,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws -> Value {
    let end = ContinuousClock.now + .seconds(60)
    while true {
        if let value = value() { return value }
        try #require(ContinuousClock.now < end, "it did not come about", sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(1))
    }
}

func onLoop(_ loop: EventLoop, _ body: @escaping @Sendable () -> Void) async {
    await loop.perform(body)
}

func onLoop(_ loop: EventLoop, _ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        loop.execute { continuation.resume(with: Result { try body() }) }
    }
}

final class Log: Sendable {
    private let storage = Locked<[String]>([])

    var entries: [String] { self.storage.withLock { $0 } }

    func append(_ entry: String) {
        self.storage.withLock { $0.append(entry) }
    }
}

/// `@unchecked Sendable`: confined to the loop, so that the thread sanitizer sees it if it is not.
final class Counter: @unchecked Sendable {
    private let loop: EventLoop
    private var value = 0

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    var count: Int { self.value }

    func increment() {
        precondition(self.loop.isCurrent)
        self.value += 1
    }
}

final class Trigger: EpollHandler, Sendable {
    private let body: @Sendable (Int32) -> Void

    init(_ body: @escaping @Sendable (Int32) -> Void) {
        self.body = body
    }

    func ready(_ descriptor: Int32, _ events: EpollEvents) {
        self.body(descriptor)
    }
}

/// Reads what comes and remembers the events.
final class Recorder: EpollHandler, Sendable {
    private struct State {
        var events: [EpollEvents] = []
        var text = ""
        var reads = true
    }

    private let loop: EventLoop
    private let state = Locked(State())

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    var events: [EpollEvents] { self.state.withLock { $0.events } }

    var reads: Bool {
        get { self.state.withLock { $0.reads } }
        set { self.state.withLock { $0.reads = newValue } }
    }

    func forget() {
        self.state.withLock { $0.events = [] }
    }

    func ready(_ descriptor: Int32, _ events: EpollEvents) {
        let buffer = self.loop.scratch.bytes
        self.state.withLock { state in
            state.events.append(events)
            guard state.reads else { return }
            // One byte at a time: only a level-triggered loop brings the others.
            if read(descriptor, buffer.baseAddress, 1) == 1 {
                state.text.unicodeScalars.append(Unicode.Scalar(buffer[0]))
            }
        }
    }

    func text(count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        try await eventually(
            {
                let text = self.state.withLock { $0.text }
                return text.count >= count ? text : nil
            },
            sourceLocation: sourceLocation
        )
    }

    func nextEvents(sourceLocation: SourceLocation = #_sourceLocation) async throws -> EpollEvents {
        try await eventually({ self.state.withLock { $0.events.first } }, sourceLocation: sourceLocation)
    }
}
