public import JSONScan
public import Store

extension ErasedCounts {
    /// Adds to an object how far an erasure has come.
    ///
    /// - Parameter isComplete: Whether nothing is left.
    public func describe(isComplete: Bool, into json: inout JSONObjectWriter) {
        json.member("state", isComplete ? "erased" : "erasing")
        json.member("keys", self.keys)
        json.member("records", self.records)
        json.member("answers", self.answers)
        json.member("openCalls", self.openCalls)
    }
}
