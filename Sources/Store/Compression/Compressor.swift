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
    /// Answers of usual size are compressed into one buffer, again and again; it never grows beyond this size.
    private static let largestBuffer = 128 << 10
    private var buffer: [UInt8] = []

    init() {
        self.context = ZSTD_createCCtx()
        ZSTD_CCtx_setParameter(self.context, ZSTD_c_compressionLevel, 1)
        // SQLite has no checksums of its own, and a replay must be right to the byte.
        ZSTD_CCtx_setParameter(self.context, ZSTD_c_checksumFlag, 1)
    }

    deinit {
        ZSTD_freeCCtx(self.context)
    }

    /// Lends one Zstandard frame (RFC 8878) with the body's size and checksum, or the body where that is not smaller.
    func compress<Failure: Error>(
        _ body: [UInt8],
        _ use: (_ bytes: UnsafeBufferPointer<UInt8>, _ isCompressed: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        let count = self.fill(with: body)
        if count > 0 && count < body.count {
            try self.buffer.withUnsafeBufferPointer { (bytes) throws(Failure) in
                try use(UnsafeBufferPointer(rebasing: bytes[..<count]), true)
            }
        } else {
            try body.withUnsafeBufferPointer { (bytes) throws(Failure) in try use(bytes, false) }
        }
        if self.buffer.count > Self.largestBuffer { self.buffer = [] }
    }

    /// - Returns: The size of the frame that stands in the buffer; 0 when there is none.
    private func fill(with body: [UInt8]) -> Int {
        guard body.count >= Self.smallest, let context = self.context else { return 0 }
        let bound = ZSTD_compressBound(body.count)
        if self.buffer.count < bound { self.buffer = [UInt8](repeating: 0, count: bound) }
        let result = self.buffer.withUnsafeMutableBytes { buffer in
            body.withUnsafeBytes { ZSTD_compress2(context, buffer.baseAddress, buffer.count, $0.baseAddress, $0.count) }
        }
        return ZSTD_isError(result) == 0 ? result : 0
    }
}
