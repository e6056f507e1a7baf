internal import GatewayCore

extension LimitSettings {
    /// Reads `client`, what holds for all, and `clients`, where single ones differ.
    mutating func read(_ limits: inout ConfigurationObject) {
        limits.object("client") { self.defaults.read(&$0) }
        limits.objectsByName("clients", fault: NameText.fault) { name, object in
            var client = self.defaults
            client.read(&object)
            self.clients[name] = client
        }
    }
}

extension ClientLimits {
    fileprivate mutating func read(_ client: inout ConfigurationObject) {
        client.rate("rate", into: &self.rate)
        client.rate("userRate", into: &self.userRate)
        client.integer("concurrency", into: &self.concurrency, in: 1...100_000)
        client.integer("userConcurrency", into: &self.userConcurrency, in: 1...100_000)
        client.object("daily") { self.daily.read(&$0) }
        client.object("userDaily") { self.userDaily.read(&$0) }
        client.choice("accountKind", into: &self.accountKind)
        client.choice("bufferPolicy", into: &self.bufferPolicy)
        client.integer("weight", into: &self.weight, in: 1...1_000)
        client.choice("precheck", into: &self.precheck)
    }
}

extension DailyQuota.Allowance {
    /// Reads `calls` and `audio`.
    mutating func read(_ daily: inout ConfigurationObject) {
        daily.integer("calls", into: &self.calls, in: 0...1_000_000_000)
        var audio = self.audioMilliseconds.map { Duration.milliseconds($0) }
        daily.duration("audio", into: &audio, in: .zero ... .days(36_500))
        self.audioMilliseconds = audio.map { Int64($0 / .milliseconds(1)) }
    }
}
