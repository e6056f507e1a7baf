public import Telemetry

/// Whose limit it is.
enum LimitedParty: String, Sendable {
    case client
    case user
    case account
}

/// The limits that refuse requests, as the error's `reason` and the metric name them.
public enum LimitRefusal: String, MetricLabel {
    /// The name of the label.
    public static let labelName = "limit"

    /// Requests in a time, of a client.
    case clientRate = "client_rate"
    /// Requests in a time, of a user.
    case userRate = "user_rate"
    /// Calls at a time, of a client.
    case clientConcurrency = "client_concurrency"
    /// Calls at a time, of a user.
    case userConcurrency = "user_concurrency"
    /// Calls at a time of the platform's account, and the queue for them.
    case accountQueue = "account_queue"
    /// Calls of a day, of a client.
    case clientDailyCalls = "client_daily_calls"
    /// Audio of a day, of a client.
    case clientDailyAudio = "client_daily_audio"
    /// Calls of a day, of a user.
    case userDailyCalls = "user_daily_calls"
    /// Audio of a day, of a user.
    case userDailyAudio = "user_daily_audio"
    /// Calls of a day, of all accounts.
    case accountDailyCalls = "account_daily_calls"
    /// Audio of a day, of all accounts.
    case accountDailyAudio = "account_daily_audio"
    /// Calls in a token's life.
    case tokenCalls = "token_exhausted"
    /// Invalid credentials in a time, of an address.
    case invalidCredentials = "invalid_credentials"
    /// Uploads in the state directory.
    case spool = "spool_full"
    /// Uploads whose sender is not proved yet.
    case unproven = "unproven_full"
    /// Requests at work.
    case requests
    /// How late the event loops are.
    case loopLag = "loop_lag"

    /// The rate of a client or a user.
    static func rate(of party: RateLimits.Party) -> LimitRefusal { party == .client ? .clientRate : .userRate }

    /// The calls at a time of a client or a user.
    static func concurrency(of party: RateLimits.Party) -> LimitRefusal {
        party == .client ? .clientConcurrency : .userConcurrency
    }

    /// What a quota counts.
    static func daily(_ limit: DailyQuota.Refusal.Limit, of party: LimitedParty) -> LimitRefusal {
        switch (party, limit) {
        case (.client, .calls): .clientDailyCalls
        case (.client, .audio): .clientDailyAudio
        case (.user, .calls): .userDailyCalls
        case (.user, .audio): .userDailyAudio
        case (.account, .calls): .accountDailyCalls
        case (.account, .audio): .accountDailyAudio
        }
    }
}
