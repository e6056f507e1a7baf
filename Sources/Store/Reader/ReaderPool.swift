internal import Locking

/// Lends read connections, one caller each.
///
/// When all are lent another one is opened for the moment: a caller is a loop, and must not wait for another loop.
/// There are never more than threads that read.
final class ReaderPool: Sendable {
    /// `Reader` is not `Sendable`; it passes from thread to thread under the lock, and has one user at a time.
    private struct Lot: @unchecked Sendable {
        var idle: [Reader] = []
        var isClosed = false
    }

    private let path: String
    private let capacity: Int
    private let lot = Locked(Lot())

    init(path: String, capacity: Int) {
        self.path = path
        self.capacity = capacity
    }

    func withReader<Value>(_ body: (Reader) throws(StoreError) -> Value) throws(StoreError) -> Value {
        let reader = try self.take()
        defer {
            self.putBack(reader)
        }
        return try body(reader)
    }

    /// Closes what is idle now, and the rest when it comes back.
    func close() {
        let idle = self.lot.withLock { lot -> Lot in
            defer {
                lot = Lot(idle: [], isClosed: true)
            }
            return lot
        }
        // The connections close here, outside the lock.
        _ = consume idle
    }

    private func take() throws(StoreError) -> Reader {
        enum Taken {
            case reader(Lot)
            case none
            case closed
        }
        let taken = self.lot.withLock { lot -> Taken in
            guard !lot.isClosed else {
                return .closed
            }
            guard let reader = lot.idle.popLast() else {
                return .none
            }
            return .reader(Lot(idle: [reader]))
        }
        switch taken {
        case .reader(let lot):
            return lot.idle[0]
        case .none:
            return try Reader(path: self.path)
        case .closed:
            throw .closed
        }
    }

    private func putBack(_ reader: Reader) {
        let returned = Lot(idle: [reader])
        self.lot.withLock { lot in
            if !lot.isClosed && lot.idle.count < self.capacity {
                lot.idle += returned.idle
            }
        }
    }
}
