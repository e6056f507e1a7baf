internal import Glibc

/// What other threads hand to a loop; one wake-up stands for all that comes until the loop looks.
///
/// A `pthread_mutex_t` and not a `Mutex`: the contended path of Swift 6.3's `Mutex` on Linux lies in its library, where
/// the thread sanitizer does not see the lock being taken, and this is the lock that all threads contend for.
///
/// `@unchecked Sendable`: `items` and `wakesLoop` are touched under `lock` only.
final class Inbox<Item: Sendable>: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private var items: [Item] = []
    private var wakesLoop = false

    init() {
        self.lock = .allocate(capacity: 1)
        self.lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(self.lock, nil)
    }

    deinit {
        pthread_mutex_destroy(self.lock)
        self.lock.deallocate()
    }

    /// Adds an item; whether the loop has to be woken for it.
    func put(_ item: Item) -> Bool {
        pthread_mutex_lock(self.lock)
        defer { pthread_mutex_unlock(self.lock) }
        self.items.append(item)
        if self.wakesLoop { return false }
        self.wakesLoop = true
        return true
    }

    /// Takes all items.
    func takeAll() -> [Item] {
        pthread_mutex_lock(self.lock)
        defer { pthread_mutex_unlock(self.lock) }
        self.wakesLoop = false
        if self.items.isEmpty { return [] }
        let items = self.items
        self.items = []
        return items
    }
}
