extension SimulatedPlatform {
    /// How the simulated platform behaves; every property has a default, and every time of the contract is here.
    public struct Configuration: Sendable {
        /// Where it listens, such as `127.0.0.1:0`, which is the default.
        public var listen = "127.0.0.1:0"
        /// Whether it listens with TLS as well, on a port and with a certificate authority of its own.
        ///
        /// The default is false.
        public var servesTLS = false
        /// Whether its certificate has ended already.
        ///
        /// The default is false.
        public var isCertificateExpired = false
        /// The key pairs that it knows.
        ///
        /// The default is none, which makes up one pair at the start.
        public var accounts: [Account] = []
        /// A bearer token that stands for the first account.
        ///
        /// The default is none.
        public var bearerToken: String?
        /// How long an evaluation takes.
        ///
        /// The default is 50 ms.
        public var processingTime: Duration = .milliseconds(50)
        /// How many event loops serve requests.
        ///
        /// The default is 2.
        public var loops = 2
        /// How far a timestamp may be off.
        ///
        /// The default is 300 s.
        public var timestampWindow: Duration = .seconds(300)
        /// How long a nonce is refused when it comes again.
        ///
        /// The default is 300 s.
        public var nonceLifetime: Duration = .seconds(300)
        /// How long a request waits for another one with its key.
        ///
        /// The default is 30 s.
        public var runningWait: Duration = .seconds(30)
        /// The `Retry-After` of code 40901, in whole seconds.
        ///
        /// The default is 2.
        public var runningRetryAfter = 2
        /// How long a key stays taken by an evaluation that does not end.
        ///
        /// The default is 15 min.
        public var runningLifetime: Duration = .seconds(900)
        /// How long a result is kept for its key.
        ///
        /// The default is 24 h.
        public var answerLifetime: Duration = .seconds(86_400)
        /// The most evaluations of a key in a day; an account may have a limit of its own, as for the three others.
        ///
        /// The default is no limit; the platform's sandbox has 200.
        public var dailyCalls: Int?
        /// The most evaluations of a customer with a report in a day.
        ///
        /// The default is no limit; the platform's sandbox has 1000.
        public var dailyReports: Int?
        /// The most evaluations of a key at all.
        ///
        /// The default is no limit.
        public var totalCalls: Int?
        /// How far the start of the day is ahead of UTC.
        ///
        /// The default is 8 h, Beijing.
        public var dayOffset: Duration = .seconds(8 * 3_600)
        /// How long a day is.
        ///
        /// The default is 24 h.
        public var dayLength: Duration = .seconds(86_400)
        /// The most evaluations of a customer at one time.
        ///
        /// The default is no limit; the platform's sandbox has 2.
        public var concurrentCalls: Int?
        /// The time in Unix milliseconds; everything but waiting goes by it.
        ///
        /// The default is nil, the clock of the machine.
        public var clock: (@Sendable () -> Int)?
        /// Whether made speech is found at `/audio/…`, to be put behind the base URL and `/tts`, in place of a whole URL.
        ///
        /// The default is false.
        public var givesAudioPaths = false
        /// What the addresses of recordings begin with; the simulator keeps none.
        ///
        /// The default is the platform's base URL, as documented.
        public var recordingBase = "https://open.shengzhiai.com"
        /// The largest request content in bytes.
        ///
        /// The default is 50 MiB and 64 KiB for what surrounds the parts.
        public var maximumBody = (50 << 20) + (64 << 10)
        /// How many requests and bills are kept for inspection.
        ///
        /// The default is 10,000.
        public var logCapacity = 10_000
        /// How many keys are counted one by one.
        ///
        /// The default is 500,000.
        public var keyCapacity = 500_000
        /// How many bytes are kept for replays, and as many for reports; an evaluation of 2 s takes about 2 KiB.
        ///
        /// The default is 256 MiB.
        public var answerBytes = 256 << 20

        /// The defaults.
        public init() {}
    }
}
