internal import HTTPWire

extension Configuration {
    /// What WebSocket connections of clients may take up.
    struct WebSockets: Hashable, Sendable {
        /// How many at once, each a connection too; 503 beyond; the default is 8192.
        var connections = 8192
        /// The largest frame; closed with 1009 beyond; the default is 128 KiB.
        var frame = ByteCount.kibibytes(128)
        /// The largest message, over all of its frames; closed with 1009 beyond; the default is 1 MiB.
        var message = ByteCount.mebibytes(1)
        /// What may wait in memory for all of them together, a quarter of it for those of one client; closed with 1013
        /// beyond; the default is 64 MiB.
        var memory = ByteCount.mebibytes(64)
        /// How often clients are pinged; the default is 15 s.
        var pingInterval: Duration = .seconds(15)
        /// How long a client that was pinged may be silent; the default is 30 s.
        var pongTimeout: Duration = .seconds(30)
        /// How long closing may take; the default is 5 s.
        var closeTimeout: Duration = .seconds(5)

        mutating func read(_ sockets: inout ConfigurationObject) {
            sockets.integer("connections", into: &self.connections, in: 1...1_000_000)
            sockets.size("frame", into: &self.frame, in: .kibibytes(1) ... .mebibytes(16))
            sockets.size("message", into: &self.message, in: .kibibytes(1) ... .mebibytes(16))
            sockets.size("memory", into: &self.memory, in: .mebibytes(1) ... .gibibytes(64))
            sockets.duration("pingInterval", into: &self.pingInterval, in: .milliseconds(100) ... .seconds(3_600))
            sockets.duration("pongTimeout", into: &self.pongTimeout, in: .milliseconds(100) ... .seconds(3_600))
            sockets.duration("closeTimeout", into: &self.closeTimeout, in: .milliseconds(100) ... .seconds(60))
            if self.frame > self.message {
                sockets.refuse("frame", "\"\(self.frame)\" is more than \"message\", \"\(self.message)\"")
            }
            // A client's share has to hold its largest message.
            if self.memory.bytes / 4 < self.message.bytes {
                sockets.refuse("memory", "\"\(self.memory)\" is less than four times \"message\", \"\(self.message)\"")
            }
        }

        /// How each connection behaves.
        var connection: WebSocketConfiguration {
            var connection = WebSocketConfiguration()
            connection.limits.frameBytes = self.frame.bytes
            connection.limits.messageBytes = self.message.bytes
            connection.pingInterval = self.pingInterval
            connection.pongTimeout = self.pongTimeout
            connection.closeTimeout = self.closeTimeout
            return connection
        }
    }
}
