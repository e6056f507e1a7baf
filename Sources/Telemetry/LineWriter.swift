private import Glibc
private import Synchronization

/// Writes whole lines to a descriptor, from any thread, each with one `write(2)`.
///
/// Where there is no room the line is lost and counted: a daemon must not stand still for its log.
final class LineWriter: Sendable {
    let descriptor: Int32
    private let lost = Atomic<UInt64>(0)
    /// Whether the last line that was begun has no end: the disk became full within it.
    private let isTorn = Atomic(false)

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// How many lines were lost because the descriptor did not take them.
    var lostLines: UInt64 { self.lost.load(ordering: .relaxed) }

    func write(_ line: [UInt8]) {
        // The first line behind a torn one begins on a line of its own.
        let ends = self.isTorn.load(ordering: .relaxed) && self.isTorn.exchange(false, ordering: .relaxed)
        let bytes = ends ? [0x0A] + line : line
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = Glibc.write(self.descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    // A full pipe that does not block, a closed one, or a full disk.
                    if ends || rest.count < bytes.count { self.isTorn.store(true, ordering: .relaxed) }
                    self.lost.wrappingAdd(1, ordering: .relaxed)
                    return
                }
                // A line fits into a pipe at once; only a terminal or a full disk takes part of one.
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}
