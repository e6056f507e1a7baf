internal import GatewayCore

/// All settings of the daemon.
///
/// A new value has every default; a file changes what it names.
struct Configuration: Hashable, Sendable {
    /// Where the gateway listens: `HOST:PORT`, `[IPv6]:PORT` or `unix:/path`; the default is `127.0.0.1:8790`.
    var listen = ["127.0.0.1:8790"]
    /// Proxies whose `Forwarded` and `X-Forwarded-For` are believed, in CIDR form or `unix`; the default is none.
    var trustedProxies: [String] = []
    /// The listener for health, readiness and metrics.
    var operations = Operations()
    /// Where the store, the spool, the lock and the control socket are; the default is `/var/lib/speechgate`.
    var stateDirectory = "/var/lib/speechgate"
    /// How many event loops serve connections; 0 means one per core; the default is 0.
    var loops = 0
    /// What is logged.
    var log = Log()
    /// Whether `/v1/echo` answers, which asks for no credentials; the default is false.
    var echo = false
    /// How long running calls may take to finish when the daemon is told to stop; the default is 60 s.
    var drain: Duration = .seconds(60)
    /// Where the daemon's own secrets are.
    var secrets = Secrets()
    /// What one client, and all together, may take up.
    var limits = Limits()
    /// How long things are kept.
    var store = Keeping()
    /// The platform Yugu.
    var yugu = Yugu()

    /// The listener for health, readiness and metrics.
    struct Operations: Hashable, Sendable {
        /// Where it listens; the default is `127.0.0.1:8791`.
        var listen = "127.0.0.1:8791"
    }

    /// What is logged, and where.
    struct Log: Hashable, Sendable {
        /// The levels, the most talkative first.
        enum Level: String, CaseIterable, Sendable {
            case debug, info, notice, warning, error
        }

        /// The forms of a line.
        enum Format: String, CaseIterable, Sendable {
            case json, text
        }

        /// The least level that is written; the default is `info`.
        var level = Level.info
        /// The form of a line; the default is `json`.
        var format = Format.json
        /// The file that lines are added to; nil for standard error, or the journal where that is it; the default is
        /// nil.
        var file: String?
        /// The most lines in a second of one message that repeats itself; the default is 100.
        var linesPerSecond = 100
    }

    /// Where the daemon's own secrets are; two of them have no default.
    struct Secrets: Hashable, Sendable {
        /// What signing credentials and tokens are derived from.
        var master: SecretReference?
        /// The master before this one, whose tokens and signatures are still accepted; nil when there is none.
        var previousMaster: SecretReference?
        /// What the idempotency keys sent to platforms are derived from.
        var upstreamKey: SecretReference?
    }

    /// What one client, and all together, may take up.
    struct Limits: Hashable, Sendable {
        /// Connections at once; further ones are answered 503 and closed; the default is 10,000.
        var connections = 10_000
        /// Requests at work at once; further ones are answered 503; the default is 4,096.
        var requests = 4_096
        /// How late an event loop may be before new requests are answered 503; the default is 1 s.
        var loopLag: Duration = .seconds(1)
        /// The longest request line; 414 beyond; the default is 16 KiB.
        var requestLine = ByteCount.kibibytes(16)
        /// The largest request head; 431 beyond; the default is 64 KiB.
        var headBytes = ByteCount.kibibytes(64)
        /// The most header fields; 431 beyond; the default is 100.
        var fields = 100
        /// How long a head may take to arrive; the default is 10 s.
        var headTimeout: Duration = .seconds(10)
        /// How long a body may pause; the default is 30 s.
        var bodyIdleTimeout: Duration = .seconds(30)
        /// How long all of a body may take; the default is 300 s.
        var bodyTimeout: Duration = .seconds(300)
        /// What must arrive of a body in a second, on average since its grace ended; 0 for any amount; the default is
        /// 1 KiB.
        var bodyRate = ByteCount.kibibytes(1)
        /// How long a body may arrive more slowly; the default is 30 s.
        var bodyGrace: Duration = .seconds(30)
        /// How long a connection may stay open between requests; the default is 75 s.
        var keepAliveTimeout: Duration = .seconds(75)
        /// How long a client may take nothing of its answer; the default is 30 s.
        var writeTimeout: Duration = .seconds(30)
        /// What WebSocket connections may take up.
        var webSockets = WebSockets()
        /// The largest upload, the whole request body; 413 beyond; the default is 50 MiB.
        var uploadBytes = ByteCount.mebibytes(50)
        /// The largest body that is kept in memory; larger ones go to the spool; the default is 1 MiB.
        var memoryBody = ByteCount.mebibytes(1)
        /// What all bodies in memory may take together, a quarter of it those of one client; the default is 64 MiB.
        var memoryBudget = ByteCount.mebibytes(64)
        /// What all spooled bodies may take together; the default is 4 GiB.
        var spoolBudget = ByteCount.gibibytes(4)
        /// What has to be free on the disk of the state directory for paid calls to be sent; the default is 256 MiB.
        var minimumFreeDisk = ByteCount.mebibytes(256)
        /// What each client may use; the default is no limit.
        var clients = LimitSettings()
        /// How far ahead of UTC the day of clients' quotas begins; the default is 0.
        var dayOffset: Duration = .zero
        /// What signed uploads may take together before their signature could be checked, a quarter of it from one
        /// address; the default is 64 MiB.
        var unprovenBudget = ByteCount.mebibytes(64)
        /// How long all of such an upload may take; the default is 60 s.
        var unprovenTimeout: Duration = .seconds(60)
        /// How far the clock of a client that signs may be off, and how long its nonces are remembered; the default is
        /// 300 s.
        var signatureWindow: Duration = .seconds(300)
        /// Invalid credentials that one address may send at once, one a second comes back; 429 beyond; the default is
        /// 100.
        var failedCredentials = 100
    }

    /// How long things are kept.
    struct Keeping: Hashable, Sendable {
        /// How long an answered idempotency key is known; the default is 7 days.
        var keyRetention: Duration = .days(7)
        /// How long a record and its answer are kept; the default is 90 days.
        var recordRetention: Duration = .days(90)
        /// How long a call with unknown outcome is kept; the default is 30 days.
        var unknownRetention: Duration = .days(30)
        /// How long the usage of a day is kept; the default is 400 days.
        var usageRetention: Duration = .days(400)
        /// How long it is remembered who erased what; the default is 400 days.
        var auditRetention: Duration = .days(400)
        /// The memory for answers that are replayed often; the default is 8 MiB.
        var answerCache = ByteCount.mebibytes(8)
    }
}

extension Duration {
    /// Days of 24 hours.
    static func days(_ count: Int) -> Duration {
        .seconds(count * 86_400)
    }
}
