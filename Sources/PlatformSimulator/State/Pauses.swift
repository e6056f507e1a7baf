import EventLoop
import Locking

/// Waits on the loops' timers that others can end early, and that end when the simulator stops.
///
/// None of them ends when its task is cancelled: a request that has been received is evaluated and billed even when
/// its client has left (contract yugu, section 7.2).
final class Pauses: Sendable {
    private enum State: Sendable {
        case reserved
        case ended
        case waiting(CheckedContinuation<Void, Never>)
    }

    private struct Book: Sendable {
        var isStopped = false
        var next = 0
        var pauses: [Int: State] = [:]
    }

    private let book = Locked(Book())

    /// Makes a name for a pause that may be ended from now on.
    func reserve() -> Int {
        self.book.withLock { book in
            book.next += 1
            book.pauses[book.next] = .reserved
            return book.next
        }
    }

    /// Whether all pauses end at once: whoever waits for something must not wait again.
    var isStopped: Bool { self.book.withLock { $0.isStopped } }

    /// How many wait now.
    var waitingCount: Int {
        self.book.withLock { book in
            book.pauses.values.count { state in
                if case .waiting = state { true } else { false }
            }
        }
    }

    /// Gives up a name that nobody else knows.
    func forget(_ name: Int) {
        self.book.withLock { $0.pauses[name] = nil }
    }

    /// Ends a pause; without effect on one that has ended.
    func end(_ name: Int) {
        let continuation = self.book.withLock { book -> CheckedContinuation<Void, Never>? in
            switch book.pauses[name] {
            case .waiting(let continuation):
                book.pauses[name] = nil
                return continuation
            case .reserved:
                book.pauses[name] = .ended
                return nil
            case .ended, nil:
                return nil
            }
        }
        continuation?.resume()
    }

    /// Waits on the current loop.
    func sleep(for duration: Duration) async {
        guard duration > .zero else { return }
        await self.sleep(self.reserve(), for: duration)
    }

    /// Waits under a reserved name.
    func sleep(_ name: Int, for duration: Duration) async {
        guard let loop = EventLoop.current else { preconditionFailure("pauses are made on a loop") }
        await withCheckedContinuation { continuation in
            let mustWait = self.book.withLock { book in
                guard !book.isStopped, case .reserved? = book.pauses[name] else {
                    book.pauses[name] = nil
                    return false
                }
                book.pauses[name] = .waiting(continuation)
                return true
            }
            guard mustWait else {
                continuation.resume()
                return
            }
            _ = loop.schedule(at: loop.now + duration) { self.end(name) }
        }
    }

    /// Waits until the task is cancelled, which its client's leaving does, or for as long as the limit says.
    func untilCancelled(atMost limit: Duration) async {
        let name = self.reserve()
        await withTaskCancellationHandler {
            await self.sleep(name, for: limit)
        } onCancel: {
            self.end(name)
        }
    }

    /// Ends all pauses, and those to come at once.
    func stop() {
        let waiting = self.book.withLock { book in
            book.isStopped = true
            defer { book.pauses = [:] }
            return Array(book.pauses.values)
        }
        for case .waiting(let continuation) in waiting {
            continuation.resume()
        }
    }
}
