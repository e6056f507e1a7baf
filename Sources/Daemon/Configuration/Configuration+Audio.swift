extension Configuration {
    /// How made speech gets to clients.
    struct Audio: Hashable, Sendable {
        /// The gateway's own base URL as clients know it: `audioUrl` leads there; nil for the platform's addresses; the
        /// default is nil.
        var gatewayURL: String?
        /// Hosts beside the platform's own that audio may come from; the default is the one of the contract.
        var hosts = ["ygyx.dragonai.tech"]
        /// The largest audio; the default is 32 MiB.
        var maximumBytes = ByteCount.mebibytes(32)
        /// How long one audio may take; the default is 120 s.
        var timeout: Duration = .seconds(120)
    }
}

extension Configuration.Audio {
    mutating func read(_ audio: inout ConfigurationObject) {
        audio.text("gatewayURL", into: &self.gatewayURL, fault: Self.urlFault)
        self.gatewayURL = self.gatewayURL.map(BaseURLText.withoutTrailingSlash)
        if let hosts = audio.texts("hosts") {
            self.hosts = hosts
            if let wrong = hosts.first(where: { HostAndPort.split($0) == nil }) {
                audio.refuse("hosts", "\"HOST\" or \"HOST:PORT\" is wanted, not \(ConfigurationObject.quoted(wrong))")
            }
        }
        audio.size("maximumBytes", into: &self.maximumBytes, in: .kibibytes(64) ... .gibibytes(1))
        audio.duration("timeout", into: &self.timeout, in: .seconds(1) ... .seconds(3_600))
    }

    /// What is wrong with the gateway's own URL, or nil.
    ///
    /// Plain HTTP is for the operator to judge: what clients use depends on what stands in front of the gateway.
    private static func urlFault(_ text: String) -> String? {
        let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
        let authority = scheme.map { BaseURLText.withoutTrailingSlash(String(text.dropFirst($0.count))) }
        guard let authority, HostAndPort.split(authority) != nil else {
            return "https://HOST or https://HOST:PORT is wanted, as clients reach this gateway, without path and query"
        }
        return nil
    }
}
