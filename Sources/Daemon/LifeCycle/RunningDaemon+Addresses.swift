internal import HTTPServer
internal import JSONScan

extension RunningDaemon {
    /// Where the daemon can be reached.
    struct Addresses: Sendable {
        /// The gateway's listeners.
        let gateway: [BoundAddress]
        /// The operations listener.
        let operations: BoundAddress

        /// One JSON line for scripts.
        var line: [UInt8] {
            var writer = JSONWriter()
            writer.object { json in
                json.member("gateway", self.gateway.first?.url)
                json.member("ops", self.operations.url)
            }
            writer.lineFeed()
            return writer.bytes
        }
    }
}
