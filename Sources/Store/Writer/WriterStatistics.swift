/// What the writer has done so far.
struct WriterStatistics {
    var counts: ClaimCounts
    /// See ``WriterConnection/hasTombstones``.
    var hasTombstones: Bool
    var transactions = 0
    var logBytes = 0
    var checkpoints = 0
    var checkpointFailure: String?
}
