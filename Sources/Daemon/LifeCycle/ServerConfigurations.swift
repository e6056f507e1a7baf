internal import HTTPServer
internal import HTTPWire
internal import UpstreamClient

/// What the settings mean to the servers and the client.
extension Configuration {
    /// The gateway's listeners.
    ///
    /// - Parameter sockets: What came with the process.
    func gatewayServer(_ sockets: InheritedSockets) throws(VerbFailure) -> HTTPServer.Configuration {
        var server = self.gatewayServer
        server.listen = try sockets.addresses(self.listen)
        return server
    }

    /// The same without their addresses.
    var gatewayServer: HTTPServer.Configuration {
        var server = HTTPServer.Configuration()
        server.maximumConnections = self.limits.connections
        server.headTimeout = self.limits.headTimeout
        server.bodyIdleTimeout = self.limits.bodyIdleTimeout
        server.bodyTimeout = self.limits.bodyTimeout
        server.bodyRate = self.limits.bodyRate.bytes
        server.bodyGrace = self.limits.bodyGrace
        server.keepAliveTimeout = self.limits.keepAliveTimeout
        server.writeTimeout = self.limits.writeTimeout
        server.http1.requestLine = self.limits.requestLine.bytes
        server.http1.headBytes = self.limits.headBytes.bytes
        server.http1.fieldCount = self.limits.fields
        server.maximumWebSockets = self.limits.webSockets.connections
        server.webSocketBufferBytes = self.limits.webSockets.memory.bytes
        server.webSocket = self.limits.webSockets.connection
        server.webSocket.writeTimeout = self.limits.writeTimeout
        return server
    }

    /// The operations listener.
    func operationsServer(_ sockets: InheritedSockets) throws(VerbFailure) -> HTTPServer.Configuration {
        var server = HTTPServer.Configuration()
        server.listen = try sockets.addresses([self.operations.listen])
        server.maximumConnections = 256
        return server
    }

    /// The control socket.
    func controlServer() -> HTTPServer.Configuration {
        var server = HTTPServer.Configuration()
        server.listen = [.unix(path: self.controlSocketPath)]
        server.unixSocketMode = 0o600
        server.maximumConnections = 64
        return server
    }

    /// The client to the platforms.
    func upstreamClient() -> UpstreamClient.Configuration {
        var client = UpstreamClient.Configuration()
        client.connectTimeout = self.yugu.connectTimeout
        client.certificateAuthorityFile = self.yugu.certificateAuthorityFile
        return client
    }
}

extension VerbFailure {
    /// What a listener's failure means for the process.
    init(_ error: HTTPServerError) {
        let exitCode: ExitCode =
            switch error.code {
            case .addressInUse, .noSuchAddress, .exhausted, .notListening, .notServing, .system: .unavailable
            case .permissionDenied: .noPermission
            case .pathOccupied: .cannotCreate
            case .invalidAddress: .configuration
            case .alreadyStarted: .software
            }
        self.init(exitCode, error.message)
    }
}

extension InheritedSockets {
    /// Where settings say to listen.
    ///
    /// - Throws: When no socket of a name came with the process.
    func addresses(_ texts: [String]) throws(VerbFailure) -> [ListenAddress] {
        var addresses: [ListenAddress] = []
        for text in texts { addresses += try self.addresses(text) }
        return addresses
    }

    /// A name can stand for several sockets.
    private func addresses(_ text: String) throws(VerbFailure) -> [ListenAddress] {
        guard let name = ListenText.inheritedName(text) else {
            do throws(HTTPServerError) {
                return [try ListenAddress(text)]
            } catch {
                throw VerbFailure(error)
            }
        }
        let descriptors = self[name]
        guard !descriptors.isEmpty else {
            throw VerbFailure(
                .unavailable,
                "no socket named \"\(name)\" came with the process; start the socket unit with FileDescriptorName=\(name)"
            )
        }
        return descriptors.map { .inherited(descriptor: $0) }
    }
}

extension BoundAddress {
    /// The address as a client would write it.
    var url: String {
        switch self.address {
        case .tcp: "http://\(self)"
        case .unix, .inherited: "\(self)"
        }
    }
}
