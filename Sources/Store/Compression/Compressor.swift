private import CZstd

/// Makes answers smaller before they are written.
///
/// A JSON answer of 30 KB becomes a sixth of that in 20 µs, and every byte of it would be written twice: to the log, and
/// from there to the database. Not `Sendable`: it belongs to the writer's queue.
final class Compressor {
    /// Bodies below this size are not worth it, in bytes.
    private static let smallest = 512

    /// Nil when there was no memory for it; nothing is compressed then.
    private let context: OpaquePointer?

    init() {
        self.context = ZSTD_createCCtx()
        ZSTD_CCtx_setParameter(self.context, ZSTD_c_compressionLevel, 1)
        // SQLite has no checksums of its own, and a replay must be right to the byte.
        ZSTD_CCtx_setParameter(self.context, ZSTD_c_checksumFlag, 1)
    }

    deinit {
        ZSTD_freeCCtx(self.context)
    }

    /// One Zstandard frame (RFC 8878) with the body's size and checksum, or nil where that would not be smaller.
    func compress(_ body: [UInt8]) -> [UInt8]? {
        guard body.count >= Self.smallest, let context = self.context else { return nil }
        let frame = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(body.count)) { buffer, count in
            let result = body.withUnsafeBytes {
                ZSTD_compress2(context, buffer.baseAddress, buffer.count, $0.baseAddress, $0.count)
            }
            count = ZSTD_isError(result) == 0 ? result : 0
        }
        return frame.isEmpty || frame.count >= body.count ? nil : frame
    }
}
