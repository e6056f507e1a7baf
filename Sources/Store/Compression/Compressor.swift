private import CZstd
internal import Locking

/// Makes answers smaller before they are written.
///
/// A JSON answer of 28 KB becomes a fifth of that in 30 µs, and every byte of it would be written twice: to the log, and
/// from there to the database. It works on its caller's thread, a loop's, and not on the writer's queue: there is one
/// of those, and everyone waits for it.
final class Compressor: Sendable {
    /// Bodies below this size are not worth it, in bytes.
    private static let smallest = 512

    private let idle = Locked<[Context]>([])

    /// One Zstandard frame (RFC 8878) with the body's size and checksum, or nil where that would not be smaller.
    func compress(_ body: [UInt8]) -> [UInt8]? {
        guard body.count >= Self.smallest else { return nil }
        let context = self.idle.withLock { $0.popLast() } ?? Context()
        // There are never more than threads that compress at a time.
        defer { self.idle.withLock { $0.append(context) } }
        return context.compress(body)
    }

    /// What a compression works with.
    ///
    /// `@unchecked Sendable`: whoever took it out of `idle` has it alone.
    private final class Context: @unchecked Sendable {
        /// Answers of usual size are compressed into one buffer, again and again; it never stays larger than this.
        private static let largestBuffer = 128 << 10

        /// Nil when there was no memory for it; nothing is compressed then.
        private let context = ZSTD_createCCtx()
        private var buffer: [UInt8] = []

        init() {
            // Level 1 is a tenth smaller and a quarter slower over recorded answers.
            ZSTD_CCtx_setParameter(self.context, ZSTD_c_compressionLevel, -1)
            // SQLite has no checksums of its own, and a replay must be right to the byte.
            ZSTD_CCtx_setParameter(self.context, ZSTD_c_checksumFlag, 1)
        }

        deinit {
            ZSTD_freeCCtx(self.context)
        }

        func compress(_ body: [UInt8]) -> [UInt8]? {
            guard let context = self.context else { return nil }
            let bound = ZSTD_compressBound(body.count)
            if self.buffer.count < bound { self.buffer = [UInt8](repeating: 0, count: bound) }
            defer { if self.buffer.count > Self.largestBuffer { self.buffer = [] } }
            let count = self.buffer.withUnsafeMutableBytes { buffer in
                body.withUnsafeBytes {
                    ZSTD_compress2(context, buffer.baseAddress, buffer.count, $0.baseAddress, $0.count)
                }
            }
            guard ZSTD_isError(count) == 0, count < body.count else { return nil }
            return [UInt8](self.buffer[..<count])
        }
    }
}
