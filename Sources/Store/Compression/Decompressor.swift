private import CZstd

/// Brings back what ``Compressor`` made smaller.
///
/// Not `Sendable`: it belongs to its reader.
final class Decompressor {
    private let context = ZSTD_createDCtx()

    deinit {
        ZSTD_freeDCtx(self.context)
    }

    /// The body of a frame, byte for byte.
    ///
    /// - Throws: `.corrupt` when the frame is not what was written.
    func decompress(_ frame: UnsafeRawBufferPointer) throws(StoreError) -> [UInt8] {
        let size = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
        guard let context = self.context, let capacity = Int(exactly: size), capacity <= Self.largest else {
            throw Self.damaged
        }
        var isWhole = false
        let body = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            let result = ZSTD_decompressDCtx(context, buffer.baseAddress, capacity, frame.baseAddress, frame.count)
            isWhole = ZSTD_isError(result) == 0 && result == capacity
            count = isWhole ? capacity : 0
        }
        guard isWhole else { throw Self.damaged }
        return body
    }

    /// A damaged frame may claim any size; SQLite holds no blob beyond this one.
    private static let largest = 1_000_000_000

    private static let damaged = StoreError(
        code: .corrupt,
        message: "the store holds an answer that is damaged; restore a backup of the state directory"
    )
}
