import Testing

@testable import Daemon

@Suite struct DescriptorLimitTests {
    /// 512 for the daemon, one for each realtime session's platform, and never more than half for these.
    @Test(arguments: [
        (1_000_000, 10_000, 8_192, 10_000), (18_704, 10_000, 8_192, 10_000), (18_703, 10_000, 8_192, 9_999),
        (1_024, 10_000, 8_192, 512), (1_024, 100, 8_192, 100), (4_096, 10_000, 100, 3_484), (64, 10_000, 8_192, 32),
    ])
    func connectionsLeaveDescriptorsForTheRest(limit: Int, connections: Int, webSockets: Int, expected: Int) {
        var limits = Configuration.Limits()
        limits.connections = connections
        limits.webSockets.connections = webSockets
        let descriptors = DescriptorLimit(limits, within: limit)
        #expect(descriptors.connections == expected)
        #expect(descriptors.shedding == min(128, limit / 8))
    }
}
