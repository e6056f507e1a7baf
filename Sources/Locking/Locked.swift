private import Glibc

/// A value behind a lock.
///
/// A `pthread_mutex_t` and not a `Mutex`: the contended path of Swift 6.3's `Mutex` on Linux lies in its library, where
/// the thread sanitizer does not see the lock being taken and reports what the lock guards.
///
/// It holds what it guards: around an empty value the sanitizer takes the address of the object for the value's own, and
/// reports threads that come one after the other.
///
/// `@unchecked Sendable`: `value` is touched under `mutex` only.
public final class Locked<Value: Sendable>: @unchecked Sendable {
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

    /// Lends the value for the time of the call; nothing is called out to from within.
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(self.mutex)
        defer { pthread_mutex_unlock(self.mutex) }
        return try body(&self.value)
    }
}
