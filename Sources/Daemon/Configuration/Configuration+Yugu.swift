internal import GatewayCore

extension Configuration {
    /// The platform Yugu (contract yugu, sections 1, 7 and 8).
    struct Yugu: Hashable, Sendable {
        /// Scheme and authority of the platform; the default is `https://open.shengzhiai.com`.
        var baseURL = "https://open.shengzhiai.com"
        /// A PEM file of authorities that take the place of the system's; nil for the system's; the default is nil.
        var certificateAuthorityFile: String?
        /// How long a connection may take to open, TLS included; the default is 10 s.
        var connectTimeout: Duration = .seconds(10)
        /// How long one attempt may take; the default is 120 s.
        var attemptTimeout: Duration = .seconds(120)
        /// How long one call may take with all its attempts; the default is 300 s.
        var totalTimeout: Duration = .seconds(300)
        /// How often a call is sent at most; the default is 3.
        var attempts = 3
        /// The waits between attempts.
        var retry = Retry()
        /// The largest answer; the default is 8 MiB.
        var answerBytes = ByteCount.mebibytes(8)
        /// How long a request waits for another one with its key; the default is 30 s.
        var waitForWinner: Duration = .seconds(30)
        /// How long after its first sending a call with unknown outcome may be sent again; the default is 23 h, an hour
        /// less than the platform remembers keys.
        var unknownReplayWindow: Duration = .seconds(23 * 3_600)
        /// How far ahead of UTC the platform's day begins; the default is 8 h, Beijing's time.
        var dayOffset: Duration = .seconds(8 * 3_600)
        /// How long an account without quota or balance is passed over; the default is 60 s.
        var exhaustedTime: Duration = .seconds(60)
        /// The accounts at the platform, best first.
        var accounts: [Account] = []
        /// When calls of a route that fails are kept back, for each account.
        var breaker = CircuitBreaker.Configuration()
        /// Where calls wait for a free account.
        var queue = Queue()
        /// How made speech gets to clients.
        var audio = Audio()
        /// Times and limits of realtime evaluation.
        var realtime = Realtime()
    }

    /// Realtime evaluation (contract yugu, section 10).
    struct Realtime: Hashable, Sendable {
        /// From dialling to the platform's `started`; the default is 10 s.
        var connectTimeout: Duration = .seconds(10)
        /// From the end of a round to its result, on one connection; the default is 300 s.
        var resultTimeout: Duration = .seconds(300)
        /// The same over all connections; the default is 600 s.
        var endingTimeout: Duration = .seconds(600)
        /// Between two pings of the platform; the default is 15 s.
        var pingInterval: Duration = .seconds(15)
        /// How long a ping may go without its answer; the default is 30 s.
        var pongTimeout: Duration = .seconds(30)
        /// How long a result is waited for when the platform said no before it had the end; the default is 10 s.
        var refusalTimeout: Duration = .seconds(10)
        /// When a lost connection is made again.
        var reconnect = Reconnect()
        /// The audio of a round that is kept to be sent again; the default is 10 MiB.
        var audioBytes = ByteCount.mebibytes(10)
        /// How long a round may last before its end; the default is 600 s.
        var roundTimeout: Duration = .seconds(600)
        /// How long the client of a round may send no audio before its end; the default is 120 s.
        var audioTimeout: Duration = .seconds(120)
        /// The pages that may open sessions, by their origins; nil for all; the default is nil.
        var origins: [String]?
        /// How long a client may send nothing, unless it waits for a result; the default is 60 s.
        var idleTimeout: Duration = .seconds(60)
        /// How often it is asked whether the credential of a session still holds; the default is 2 s.
        var credentialInterval: Duration = .seconds(2)
        /// How long the older one of two sessions with one key may take to answer a ping; the default is 5 s.
        var duplicateTimeout: Duration = .seconds(5)
    }

    /// The waits before a lost connection is made again: `initialDelay` × 2ⁿ⁻¹, at most `maximumDelay`, spread by ±
    /// `jitter`.
    struct Reconnect: Hashable, Sendable {
        /// The first wait; the default is 500 ms.
        var initialDelay: Duration = .milliseconds(500)
        /// The longest wait; the default is 4 s.
        var maximumDelay: Duration = .seconds(4)
        /// How far a wait is spread, as a part of it; the default is 0.3.
        var jitter = 0.3
        /// How often in a row it is tried, and a third of how often in all; the default is 8.
        var attempts = 8
    }

    /// The waits between attempts: `initialDelay` × 2ⁿ⁻¹, at most `maximumDelay`, spread by ± `jitter`.
    struct Retry: Hashable, Sendable {
        /// The first wait; the default is 200 ms.
        var initialDelay: Duration = .milliseconds(200)
        /// The longest wait; the default is 4 s.
        var maximumDelay: Duration = .seconds(4)
        /// How far a wait is spread, as a part of it; the default is 0.3.
        var jitter = 0.3
        /// The longest `Retry-After` that is obeyed in full; the default is 30 s.
        var maximumRetryAfter: Duration = .seconds(30)
    }

    /// One account at the platform.
    struct Account: Hashable, Sendable {
        /// The operator's name for it, in logs and metrics.
        var name: String
        /// The platform's name for it.
        var appKey: String
        /// Where its secret is.
        var secretKey: SecretReference
        /// What it is for; the default is production.
        var kind = GatewayCore.Account.Kind.production
        /// Calls at once; the default is 64.
        var concurrency = 64
        /// What we allow ourselves of it in a day; the default is no limit.
        var daily = DailyQuota.Allowance()
    }

    /// Where calls wait for a free account.
    struct Queue: Hashable, Sendable {
        /// How many may wait; 429 beyond; the default is 256.
        var length = 256
        /// How long one may wait; the default is 30 s.
        var wait: Duration = .seconds(30)
    }
}
