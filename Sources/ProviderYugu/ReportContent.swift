internal import JSONScan

/// What a report's envelope says about itself (contract yugu, section 6.2).
struct ReportContent {
    private let scanner: JSONScanner

    /// - Parameter body: A valid envelope with data.
    init(_ body: [UInt8]) {
        self.scanner = JSONScanner(body)
    }

    /// Whether nothing will be added any more.
    ///
    /// The contract calls `summary`, `suggestions` and `dimensionScores` optional and does not say when they come. In
    /// every recorded answer the scores are there at once, and the AI's summary and suggestions come together or not
    /// at all. So a report is complete when it has both. One that has not may be an evaluation that asked for none, or
    /// one whose summary is still being written: nobody can tell these apart, so it is fetched anew each time, which
    /// costs nothing.
    var isComplete: Bool {
        let summary = self.scanner.value(at: "data", "report", "summary").flatMap { self.scanner.string(of: $0) }
        return summary?.isEmpty == false && self.scanner.value(at: "data", "report", "suggestions")?.kind == .array
    }

    /// Whether two reports say the same; the envelope's time may differ.
    func saysTheSame(as other: ReportContent) -> Bool {
        guard let data = self.scanner.value(at: "data"), let others = other.scanner.value(at: "data") else {
            return false
        }
        return self.scanner.withBytes(of: data) { bytes in
            other.scanner.withBytes(of: others) { bytes.elementsEqual($0) }
        }
    }
}
