private import Glibc

extension UpstreamClient {
    /// What an operator may set about connections to platforms.
    public struct Configuration: Sendable {
        /// How long name resolution, TCP and TLS together may take.
        ///
        /// The default is 10 s.
        public var connectTimeout: Duration = .seconds(10)
        /// A PEM file of certificate authorities, trusted instead of the system's.
        ///
        /// The default is nil: the system's.
        ///
        /// Verification itself cannot be switched off.
        public var certificateAuthorityFile: String?
        /// The proxy for `https` platforms, such as `http://proxy.example:3128`.
        ///
        /// Requests and WebSocket connections alike go through it by CONNECT, which it has to allow; it sees no content.
        ///
        /// The default is nil: none, whatever the environment says.
        public var proxy: String?
        /// The most connections that each loop keeps open for reuse.
        ///
        /// The default is 256.
        ///
        /// It does not limit concurrency: beyond it the connection that waited longest is closed. It should be above the
        /// expected concurrency of one loop.
        public var maximumConnections = 256
        /// The most exchanges of each loop at one time; more are refused.
        ///
        /// The default is 10,000.
        public var maximumExchanges = 10_000
        /// The most WebSocket connections of each loop at one time; more are refused.
        ///
        /// The default is 10,000.
        public var maximumWebSockets = 10_000
        /// How many bytes all WebSocket connections together may keep, received or to be sent.
        ///
        /// The default is 64 MiB.
        public var webSocketBytes = 64 << 20
        /// How long an idle connection may wait for reuse.
        ///
        /// The default is 60 s.
        ///
        /// It should be below the platform's own keep-alive time, so that the platform is not the first to close.
        public var idleTimeout: Duration = .seconds(60)
        /// The largest head of an answer in bytes, interim answers included, and the largest trailer section.
        ///
        /// The default is 64 KiB.
        public var maximumResponseHead = 64 << 10

        /// All defaults.
        public init() {}

        func validate() throws(UpstreamClientError) {
            guard self.connectTimeout > .zero, self.idleTimeout > .zero else {
                throw UpstreamClientError(.configuration, "connectTimeout and idleTimeout must be above zero")
            }
            guard self.maximumConnections > 0, self.maximumExchanges > 0 else {
                throw UpstreamClientError(.configuration, "maximumConnections and maximumExchanges must be above zero")
            }
            if let proxy = self.proxy, !proxy.hasPrefix("http://") {
                // Of two layers of TLS, OpenSSL tells of the bytes that wait in the inner one only.
                throw UpstreamClientError(.configuration, "proxy must begin with http://")
            }
            guard self.maximumWebSockets > 0, self.webSocketBytes > 0 else {
                throw UpstreamClientError(.configuration, "maximumWebSockets and webSocketBytes must be above zero")
            }
            guard self.maximumResponseHead >= 1024 else {
                throw UpstreamClientError(.configuration, "maximumResponseHead must be 1024 bytes at least")
            }
            guard let file = self.certificateAuthorityFile else { return }
            guard access(file, R_OK) == 0 else {
                throw UpstreamClientError(
                    .certificateAuthorityFile,
                    "the file of certificate authorities cannot be read: \(file)"
                )
            }
        }
    }
}
