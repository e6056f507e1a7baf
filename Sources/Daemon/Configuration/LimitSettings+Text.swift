internal import GatewayCore

extension ClientLimits {
    /// The limits in one line, as an operator reads them.
    var configurationText: String {
        let parts = [
            self.rate.map { "\(RateText.text($0)) requests" },
            self.userRate.map { "\(RateText.text($0)) of a user" },
            self.concurrency.map { "\($0) at once" },
            self.userConcurrency.map { "\($0) of a user at once" },
            self.daily.configurationText.map { "\($0) a day" },
            self.userDaily.configurationText.map { "\($0) of a user a day" },
            self.accountKind == .production ? nil : "\(self.accountKind.rawValue) accounts",
            self.weight == 1 ? nil : "weight \(self.weight)",
            self.precheck == .off ? nil : "precheck \(self.precheck.rawValue)",
        ].compactMap { $0 }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }
}

extension DailyQuota.Allowance {
    /// The amounts, or nil without any.
    var configurationText: String? {
        let audio = self.audioMilliseconds.map { "\(Duration.milliseconds($0).configurationText) of audio" }
        let parts = [self.calls.map { "\($0) calls" }, audio].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " and ")
    }
}
