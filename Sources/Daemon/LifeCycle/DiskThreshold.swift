/// When a disk has too little room, and when it has enough again.
///
/// Between the two it stays what it was: at the border, every answer stored and every row expired would else switch paid
/// work off and on.
struct DiskThreshold {
    /// With less than this it has too little, in bytes.
    let bytes: UInt64

    init(_ bytes: UInt64) {
        self.bytes = bytes
    }

    /// Whether there is too little.
    func isLow(_ free: UInt64, wasLow: Bool) -> Bool {
        guard wasLow else { return free < self.bytes }
        let (enough, overflows) = self.bytes.addingReportingOverflow(self.bytes / 8)
        return free < (overflows ? self.bytes : enough)
    }
}
