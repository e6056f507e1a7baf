private import Glibc

/// A value behind a lock that the thread sanitizer sees: it knows `pthread_mutex_t`, and not Swift's `Mutex` on Linux.
///
/// `@unchecked Sendable`: `value` is touched under `mutex` only.
public final class Guarded<Value: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Begins with a value.
    public init(_ value: Value) {
        self.value = value
        self.mutex = .allocate(capacity: 1)
        self.mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(self.mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(self.mutex)
        self.mutex.deallocate()
    }

    /// Lends the value.
    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(self.mutex)
        defer {
            pthread_mutex_unlock(self.mutex)
        }
        return try body(&self.value)
    }
}
