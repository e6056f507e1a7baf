internal import GatewayCore
internal import HTTPWire

extension Configuration.Realtime {
    /// Reads the times and limits of realtime evaluation.
    mutating func read(_ realtime: inout ConfigurationObject) {
        realtime.duration("connectTimeout", into: &self.connectTimeout, in: .milliseconds(10) ... .seconds(120))
        realtime.duration("resultTimeout", into: &self.resultTimeout, in: .milliseconds(10) ... .seconds(3_600))
        realtime.duration("endingTimeout", into: &self.endingTimeout, in: .milliseconds(10) ... .seconds(7_200))
        realtime.duration("pingInterval", into: &self.pingInterval, in: .milliseconds(10) ... .seconds(600))
        realtime.duration("pongTimeout", into: &self.pongTimeout, in: .milliseconds(10) ... .seconds(600))
        realtime.duration("refusalTimeout", into: &self.refusalTimeout, in: .milliseconds(10) ... .seconds(600))
        realtime.object("reconnect") { self.reconnect.read(&$0) }
        realtime.size("audioBytes", into: &self.audioBytes, in: .kibibytes(32) ... .mebibytes(64))
        realtime.duration("roundTimeout", into: &self.roundTimeout, in: .milliseconds(100) ... .seconds(7_200))
        realtime.duration("audioTimeout", into: &self.audioTimeout, in: .milliseconds(100) ... .seconds(3_600))
        self.readOrigins(of: &realtime)
        realtime.duration("idleTimeout", into: &self.idleTimeout, in: .milliseconds(100) ... .seconds(3_600))
        // A credential that was taken back ends its sessions within 5 s.
        realtime.duration("credentialInterval", into: &self.credentialInterval, in: .milliseconds(10) ... .seconds(4))
        realtime.duration("duplicateTimeout", into: &self.duplicateTimeout, in: .milliseconds(10) ... .seconds(60))
        if self.resultTimeout > self.endingTimeout {
            realtime.refuse("resultTimeout", "one connection may take longer than \"endingTimeout\" for all of them")
        }
    }

    private mutating func readOrigins(of realtime: inout ConfigurationObject) {
        realtime.texts("origins", into: &self.origins)
        for origin in self.origins ?? [] where !Self.isOrigin(origin) {
            let form = "\"https://HOST\" or \"https://HOST:PORT\" is wanted, in lower case as browsers send it"
            realtime.refuse("origins", "\(form), not \(ConfigurationObject.quoted(origin))")
        }
    }

    private static func isOrigin(_ text: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
        return HostAndPort.split(String(text.dropFirst(scheme.count))) != nil && text == text.lowercased()
    }

    /// What sessions are to keep to.
    var sessions: RealtimeConfiguration {
        var configuration = RealtimeConfiguration()
        configuration.round.connectTimeout = self.connectTimeout
        configuration.round.resultTimeout = self.resultTimeout
        configuration.round.endingTimeout = self.endingTimeout
        configuration.round.pingInterval = self.pingInterval
        configuration.round.pongTimeout = self.pongTimeout
        configuration.round.refusalTimeout = self.refusalTimeout
        configuration.round.initialDelay = self.reconnect.initialDelay
        configuration.round.maximumDelay = self.reconnect.maximumDelay
        configuration.round.jitter = self.reconnect.jitter
        configuration.round.maximumAttempts = self.reconnect.attempts
        configuration.round.audioLimit = self.audioBytes.bytes
        configuration.roundTimeout = self.roundTimeout
        configuration.audioTimeout = self.audioTimeout
        configuration.origins = self.origins.map { .only(Set($0)) } ?? .any
        configuration.idleTimeout = self.idleTimeout
        configuration.credentialInterval = self.credentialInterval
        configuration.duplicateTimeout = self.duplicateTimeout
        return configuration
    }
}

extension Configuration.Reconnect {
    fileprivate mutating func read(_ reconnect: inout ConfigurationObject) {
        reconnect.duration("initialDelay", into: &self.initialDelay, in: .milliseconds(1) ... .seconds(60))
        reconnect.duration("maximumDelay", into: &self.maximumDelay, in: .milliseconds(1) ... .seconds(300))
        reconnect.fraction("jitter", into: &self.jitter, in: 0...1)
        reconnect.integer("attempts", into: &self.attempts, in: 1...100)
        if self.initialDelay > self.maximumDelay {
            reconnect.refuse("initialDelay", "the first wait is longer than \"maximumDelay\"")
        }
    }
}
