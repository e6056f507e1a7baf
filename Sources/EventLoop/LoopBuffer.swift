/// Memory that everything on one loop reads into, one after the other.
///
/// Its content is good only until the next suspension or return to the loop.
///
/// `@unchecked Sendable`: only touched on the queue of its loop, which ``EventLoop/scratch`` checks.
public final class LoopBuffer: @unchecked Sendable {
    /// The memory.
    public let bytes: UnsafeMutableRawBufferPointer

    init(count: Int) {
        self.bytes = .allocate(byteCount: count, alignment: 16)
    }

    deinit {
        self.bytes.deallocate()
    }
}
