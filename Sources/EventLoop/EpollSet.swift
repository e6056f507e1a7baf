internal import CLinux
internal import Glibc

/// What a handler wants to hear of.
///
/// Errors and hang-ups are always reported.
public struct EpollInterest: OptionSet, Hashable, Sendable {
    /// The bits as the kernel knows them.
    public let rawValue: UInt32

    /// Takes bits as the kernel knows them.
    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Bytes, a connection or the end of the stream can be read (EPOLLIN).
    @inlinable public static var readable: EpollInterest { EpollInterest(rawValue: 0x001) }
    /// Bytes can be written (EPOLLOUT).
    @inlinable public static var writable: EpollInterest { EpollInterest(rawValue: 0x004) }
    /// The other side ended its sending direction (EPOLLRDHUP).
    @inlinable public static var peerClosed: EpollInterest { EpollInterest(rawValue: 0x2000) }
}

/// What happened to a descriptor.
public struct EpollEvents: OptionSet, Hashable, Sendable {
    /// The bits as the kernel knows them.
    public let rawValue: UInt32

    /// Takes bits as the kernel knows them.
    @inlinable
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Bytes, a connection or the end of the stream can be read (EPOLLIN).
    @inlinable public static var readable: EpollEvents { EpollEvents(rawValue: 0x001) }
    /// Bytes can be written (EPOLLOUT).
    @inlinable public static var writable: EpollEvents { EpollEvents(rawValue: 0x004) }
    /// An error is pending (EPOLLERR).
    @inlinable public static var error: EpollEvents { EpollEvents(rawValue: 0x008) }
    /// Both directions have ended (EPOLLHUP).
    @inlinable public static var hangup: EpollEvents { EpollEvents(rawValue: 0x010) }
    /// The other side ended its sending direction (EPOLLRDHUP).
    @inlinable public static var peerClosed: EpollEvents { EpollEvents(rawValue: 0x2000) }
}

/// What is told about a descriptor.
///
/// The loop keeps it alive until the descriptor is deregistered.
public protocol EpollHandler: AnyObject {
    /// Takes what happened; called on the loop. Events are level-triggered: what is not dealt with comes again.
    func ready(_ descriptor: Int32, _ events: EpollEvents)
}

/// An epoll descriptor with the handlers of what it watches, in a table indexed by descriptor.
struct EpollSet {
    private struct Entry {
        var handler: (any EpollHandler)?
        // Tells an event of this registration from a late one of an earlier registration of the same number.
        var generation: UInt32
        var interest: EpollInterest
    }

    static let batch = 256

    let descriptor: Int32
    private var table: [Entry] = []
    private var events: [epoll_event]

    /// The number of descriptors watched.
    var count: Int { self.table.count { $0.handler != nil } }

    init() throws(EventLoopError) {
        self.descriptor = clinux_epoll_create()
        guard self.descriptor >= 0 else {
            throw EventLoopError(errorNumber: errno, "cannot make an epoll descriptor")
        }
        self.events = [epoll_event](repeating: epoll_event(), count: EpollSet.batch)
    }

    mutating func add(
        _ descriptor: Int32,
        interest: EpollInterest,
        handler: any EpollHandler
    ) throws(EventLoopError) {
        guard descriptor >= 0 else {
            throw EventLoopError(.badDescriptor, "cannot watch descriptor \(descriptor)")
        }
        let index = Int(descriptor)
        while self.table.count <= index {
            self.table.append(Entry(handler: nil, generation: 0, interest: []))
        }
        guard self.table[index].handler == nil else {
            throw EventLoopError(.badDescriptor, "descriptor \(descriptor) is watched already")
        }
        let generation = self.table[index].generation &+ 1
        let data = UInt64(generation) << 32 | UInt64(index)
        guard clinux_epoll_add(self.descriptor, descriptor, interest.rawValue, data) == 0 else {
            throw EventLoopError(errorNumber: errno, "cannot watch descriptor \(descriptor)")
        }
        self.table[index] = Entry(handler: handler, generation: generation, interest: interest)
    }

    mutating func modify(_ descriptor: Int32, interest: EpollInterest) {
        let index = Int(descriptor)
        precondition(self.isWatched(descriptor), "descriptor \(descriptor) is not watched")
        guard self.table[index].interest != interest else { return }
        self.table[index].interest = interest
        let data = UInt64(self.table[index].generation) << 32 | UInt64(index)
        // Fails only for a descriptor that was closed behind our back, which is a fault of its owner.
        let result = clinux_epoll_modify(self.descriptor, descriptor, interest.rawValue, data)
        precondition(result == 0, "descriptor \(descriptor) was closed while it was watched")
    }

    /// Returns the handler, so that its release happens outside of the exclusive access to the set.
    mutating func remove(_ descriptor: Int32) -> (any EpollHandler)? {
        guard self.isWatched(descriptor) else { return nil }
        let handler = self.table[Int(descriptor)].handler
        self.table[Int(descriptor)].handler = nil
        _ = clinux_epoll_remove(self.descriptor, descriptor)
        return handler
    }

    mutating func removeAll() -> [any EpollHandler] {
        let handlers = self.table.compactMap(\.handler)
        self.table.removeAll()
        return handlers
    }

    func isWatched(_ descriptor: Int32) -> Bool {
        descriptor >= 0 && Int(descriptor) < self.table.count && self.table[Int(descriptor)].handler != nil
    }

    /// Fetches what is ready, without waiting; the number of events.
    mutating func poll() -> Int {
        let count = clinux_epoll_poll(self.descriptor, &self.events, Int32(EpollSet.batch))
        return max(0, Int(count))
    }

    /// The handler of event `index` of the last ``poll()``, or nil when it was deregistered meanwhile.
    func event(_ index: Int) -> (handler: any EpollHandler, descriptor: Int32, events: EpollEvents)? {
        let event = self.events[index]
        let data = event.data.u64
        let position = Int(data & 0xFFFF_FFFF)
        guard position < self.table.count, self.table[position].generation == UInt32(data >> 32),
            let handler = self.table[position].handler
        else { return nil }
        return (handler, Int32(position), EpollEvents(rawValue: event.events))
    }
}
