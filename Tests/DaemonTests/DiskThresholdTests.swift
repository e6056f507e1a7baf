import Testing

@testable import Daemon

@Suite struct DiskThresholdTests {
    @Test func whatIsLowStaysSoUntilThereIsClearlyMore() {
        let threshold = DiskThreshold(800)
        #expect(!threshold.isLow(800, wasLow: false) && threshold.isLow(799, wasLow: false))
        #expect(threshold.isLow(800, wasLow: true) && threshold.isLow(899, wasLow: true))
        #expect(!threshold.isLow(900, wasLow: true) && !threshold.isLow(.max, wasLow: true))
    }

    @Test func noneIsNeverLow() {
        #expect(!DiskThreshold(0).isLow(0, wasLow: false) && !DiskThreshold(0).isLow(0, wasLow: true))
        #expect(DiskThreshold(.max).isLow(.max - 1, wasLow: true) && !DiskThreshold(.max).isLow(.max, wasLow: true))
    }
}
