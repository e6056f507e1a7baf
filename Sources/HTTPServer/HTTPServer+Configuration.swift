public import HTTPWire

extension HTTPServer {
    /// How a server behaves; every property has a default.
    public struct Configuration: Sendable {
        /// Where to listen.
        ///
        /// The default is `127.0.0.1:8790`.
        public var listen: [ListenAddress] = [.tcp(host: "127.0.0.1", port: 8790)]
        /// How many connections wait in the kernel until they are accepted.
        ///
        /// The default is 1024.
        public var backlog: Int32 = 1024
        /// The permission bits of Unix-domain sockets.
        ///
        /// The default is 0o660.
        public var unixSocketMode: UInt32 = 0o660
        /// The most open connections; more are answered with 503.
        ///
        /// The default is 10,000.
        public var maximumConnections = 10_000
        /// The most connections that get their 503 at one time; more are closed without a word.
        ///
        /// The default is 128.
        public var maximumShedding = 128
        /// How long a request head may take from its first byte on.
        ///
        /// The default is 10 s.
        public var headTimeout: Duration = .seconds(10)
        /// How long content may pause while it is read.
        ///
        /// The default is 30 s.
        public var bodyIdleTimeout: Duration = .seconds(30)
        /// How long all of a request's content may take.
        ///
        /// The default is 300 s.
        public var bodyTimeout: Duration = .seconds(300)
        /// How many bytes of content must arrive in a second, on average since ``bodyGrace`` ended; 0 for any number.
        ///
        /// The default is 1,024.
        public var bodyRate = 1024
        /// How long content may arrive more slowly than ``bodyRate``.
        ///
        /// The default is 30 s.
        public var bodyGrace: Duration = .seconds(30)
        /// How long a connection may wait for its first or next request.
        ///
        /// The default is 75 s.
        public var keepAliveTimeout: Duration = .seconds(75)
        /// How long an answer may stay without any progress towards a slow client.
        ///
        /// The default is 30 s.
        public var writeTimeout: Duration = .seconds(30)
        /// How long a connection that is closed from here still listens, so that the client sees the answer rather than
        /// a reset.
        ///
        /// The default is 10 s.
        public var lingerTimeout: Duration = .seconds(10)
        /// How long such a connection may be silent.
        ///
        /// The default is 2 s.
        public var lingerIdleTimeout: Duration = .seconds(2)
        /// How many bytes such a connection takes and throws away.
        ///
        /// The default is 64 MiB.
        public var lingerBytes = 64 << 20
        /// The bounds of heads and of the chunked coding.
        public var http1 = HTTP1Limits()

        /// The most WebSocket connections, which count as connections too; more are answered with 503.
        ///
        /// The default is 8192.
        public var maximumWebSockets = 8192
        /// How WebSocket connections behave.
        public var webSocket = WebSocketConfiguration()
        /// How many bytes all WebSocket connections together may keep, of messages nobody has asked for and of frames no
        /// socket has taken, and those of one owner a quarter of it; who needs more is closed on.
        ///
        /// The default is 64 MiB.
        public var webSocketBufferBytes = 64 << 20

        /// The defaults.
        public init() {}
    }
}
