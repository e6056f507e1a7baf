import Dispatch
import Glibc
import HTTPServer
import JSONScan

/// The command line of `speechsim`.
public enum SimulatorCommand {
    private static let help = """
        usage: speechsim [options]

        A stand-in for the speech-evaluation platform. The first line on standard output is JSON,
        {"http","https","appKey","secretKey"}; then it serves until SIGINT or SIGTERM. With --https the line
        has "caFile" as well, and both ports serve the same platform.

          --listen ADDR           where to listen (127.0.0.1:0)
          --app-key K             with --secret-key: a key pair it knows; may be given several times.
          --secret-key S          Without any, one is made up.
          --https                 listens with TLS too; needs the openssl command
          --https-expired         the same with a certificate that has ended
          --bearer-token T        a token that stands for the first key pair
          --processing-ms N       how long an evaluation takes (50)
          --loops N               event loops (2)
          --daily-limit N         evaluations of a key in a day, then 42903 (none)
          --report-limit N        evaluations of a customer with a report in a day, then 42902 (none)
          --total-limit N         evaluations of a key at all, then 2012 (none)
          --concurrency-limit N   evaluations of a customer at one time, then 42901 (none)
          --audio-url FORM        absolute or path: how the address of made speech is written (absolute)
          --recording-base URL    what audioUrl begins with (https://open.shengzhiai.com)
          --help                  this text

        Times of the contract, each a number with ms, s, m or h:
          --timestamp-window (300s)  --nonce-lifetime (300s)   --running-wait (30s)   --running-lifetime (15m)
          --answer-lifetime (24h)    --day-offset (8h)         --day-length (24h)

        Control, on the http address:
          POST /__sim/faults    {"faults":[{"match":"/path prefix","fault":"verb:args","times":1}],"processingMs":50}
          POST /__sim/serve?match=/path%20prefix&status=200&times=1   answers with the body's bytes and Content-Type
          GET  /__sim/billing   {"billed","byKey","byAccount","records","sessions","truncated","evicted"}
          GET  /__sim/log       one element for each request and each realtime session
          GET, POST /__sim/accounts   {"accounts":[{"appKey","secretKey","bearerToken","customer","standing",
                                "dailyCalls","dailyReports","totalCalls","concurrentCalls"}]}, to add or change; standing:
                                active keyExpired keyDisabled userDisabled userLocked disabled frozen noBalance noQuota
          GET, POST /__sim/settings   {"processingMs","audioUrl","clockOffset"}
          POST /__sim/reset     forgets everything and puts clock and accounts back

        Faults, also by header X-Sim-Fault and query simFault (for that request only). Without processing:
          code:<number or name>[:status=<n>][:retryAfter=<s>][:message=<m>]   one of the platform's 36, from its table
          status:<n>[:code=<c>][:retryAfter=<s>][:message=<m>]   status:<n>:detail=<text>   status:<n>:raw=html
          engine:<n>:string|bracket|array|object[:code=<c>][:message=<m>]   html:<n>
          drop (close)   hang (never answer)   garbage (not HTTP)      Values are percent-decoded.
        With processing:
          delay:<ms> (before)   slow:<ms> (with the key registered)   bill-drop (bill, store, close)
          length:<+n|-n> (wrong Content-Length)   trickle:<ms> (content in slices)
          clock:<+s|-s> and rotate-secret:<new> (both until the reset)   audio-url:absolute|path|<address>
        Of realtime sessions, which take those above too where they have a meaning:
          ws-refuse (503)   ws-delay-connected:<ms>   ws-delay-started:<ms>   ws-delay-result:<ms> (billed in time)
          ws-progress:back|bytes|none (falls back now and then; without units; not at all)
          ws-<what>-<when>, such as ws-kill-after:3, ws-close-end:1000 or ws-error-bytes:48000:42901
            what: kill (reset)   close[:<code>] (1011)   error[:<code>|none] (50200)   say:<text> (a text frame)
                  silent (answers nothing, no ping either)   freeze (reads nothing either)
            when: open   after:<n> (frames)   bytes:<n> (audio over this connection)   end (not evaluated)
                  billed (evaluated, billed and stored)
            ws-silent:<n> and ws-error:<code> are short for ws-silent-after:<n> and ws-error-end:<code>

        """

    private struct UsageError: Error {
        var message: String
    }

    /// Runs the simulator until it is told to stop, and ends the process.
    ///
    /// - Parameter arguments: Without the name of the program.
    public static func run(_ arguments: [String]) async -> Never {
        if arguments.contains("--help") || arguments.contains("-h") {
            self.write(self.help, to: STDOUT_FILENO)
            exit(EX_OK)
        }
        let configuration: SimulatedPlatform.Configuration
        do {
            configuration = try self.configuration(arguments)
        } catch {
            self.fail("\(error.message); see speechsim --help", status: EX_USAGE)
        }
        // Before it listens, so that no signal is lost.
        let signals = SignalStream([SIGINT, SIGTERM])
        do {
            let platform = try await SimulatedPlatform.start(configuration)
            self.write(self.greeting(platform), to: STDOUT_FILENO)
            await signals.next()
            await platform.stop()
        } catch let error as HTTPServerError {
            self.fail(error.message, status: EX_UNAVAILABLE)
        } catch {
            self.fail("\(error)", status: EX_OSERR)
        }
        exit(EX_OK)
    }

    private static func greeting(_ platform: SimulatedPlatform) -> String {
        var writer = JSONWriter()
        writer.object { object in
            object.member("http", platform.url)
            object.member("https", platform.secureURL)
            object.member("appKey", platform.account.appKey)
            object.member("secretKey", platform.account.secretKey)
            if let file = platform.certificateAuthorityFile { object.member("caFile", file) }
        }
        return String(decoding: writer.bytes, as: UTF8.self) + "\n"
    }

    // MARK: Arguments

    private static func configuration(
        _ arguments: [String]
    ) throws(UsageError) -> SimulatedPlatform.Configuration {
        var configuration = SimulatedPlatform.Configuration()
        var appKey: String?
        var rest = arguments[...]
        while let option = rest.popFirst() {
            if option == "--https" || option == "--https-expired" {
                configuration.servesTLS = true
                configuration.isCertificateExpired = option == "--https-expired"
                continue
            }
            guard self.options.contains(option) else { throw UsageError(message: "unknown option \(option)") }
            guard let value = rest.popFirst(), !value.isEmpty else {
                throw UsageError(message: "\(option) needs a value")
            }
            switch option {
            case "--listen": configuration.listen = value
            case "--app-key": appKey = value
            case "--secret-key":
                guard let key = appKey else { throw UsageError(message: "--secret-key needs --app-key before it") }
                configuration.accounts.append(SimulatedPlatform.Account(appKey: key, secretKey: value))
                appKey = nil
            case "--bearer-token": configuration.bearerToken = value
            case "--processing-ms":
                configuration.processingTime = .milliseconds(try self.count(value, option, 0...3_600_000))
            case "--loops": configuration.loops = try self.count(value, option, 1...64)
            case "--daily-limit": configuration.dailyCalls = try self.count(value, option, 0...Int.max)
            case "--report-limit": configuration.dailyReports = try self.count(value, option, 0...Int.max)
            case "--total-limit": configuration.totalCalls = try self.count(value, option, 0...Int.max)
            case "--audio-url":
                guard ["absolute", "path"].contains(value) else {
                    throw UsageError(message: "--audio-url takes absolute or path, not \(value)")
                }
                configuration.givesAudioPaths = value == "path"
            case "--recording-base": configuration.recordingBase = value
            case "--concurrency-limit": configuration.concurrentCalls = try self.count(value, option, 0...Int.max)
            case "--timestamp-window": configuration.timestampWindow = try self.duration(value, option)
            case "--nonce-lifetime": configuration.nonceLifetime = try self.duration(value, option)
            case "--running-wait": configuration.runningWait = try self.duration(value, option)
            case "--running-lifetime": configuration.runningLifetime = try self.duration(value, option)
            case "--answer-lifetime": configuration.answerLifetime = try self.duration(value, option)
            case "--day-offset": configuration.dayOffset = try self.duration(value, option)
            default: configuration.dayLength = try self.duration(value, option)
            }
        }
        guard appKey == nil else { throw UsageError(message: "--app-key needs --secret-key behind it") }
        return configuration
    }

    private static let options: Set<String> = [
        "--listen", "--app-key", "--secret-key", "--bearer-token", "--processing-ms", "--loops", "--daily-limit",
        "--report-limit", "--total-limit", "--concurrency-limit", "--audio-url", "--recording-base",
        "--timestamp-window", "--nonce-lifetime", "--running-wait", "--running-lifetime",
        "--answer-lifetime", "--day-offset", "--day-length",
    ]

    private static func count(
        _ text: String,
        _ option: String,
        _ range: ClosedRange<Int>
    ) throws(UsageError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw UsageError(message: "\(option) takes a whole number from \(range.lowerBound) on, not \(text)")
        }
        return number
    }

    private static func duration(_ text: String, _ option: String) throws(UsageError) -> Duration {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let units: [Substring: Duration] = [
            "ms": .milliseconds(1), "s": .seconds(1), "m": .seconds(60), "h": .seconds(3_600),
        ]
        guard let number = Int(digits), number <= 1_000_000_000, let unit = units[text.dropFirst(digits.count)] else {
            throw UsageError(message: "\(option) takes a time such as 500ms, 30s, 15m or 24h, not \(text)")
        }
        return unit * number
    }

    // MARK: Process

    private static func fail(_ message: String, status: Int32) -> Never {
        self.write("speechsim: \(message)\n", to: STDERR_FILENO)
        exit(status)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }
}

/// Signals that are waited for instead of ending the process.
private final class SignalStream {
    private let stream: AsyncStream<Void>
    // Kept, because a source that is let go is cancelled.
    private let sources: [any DispatchSourceSignal]

    init(_ signals: [Int32]) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        self.stream = stream
        self.sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield() }
            source.activate()
            return source
        }
    }

    /// Returns at the first signal.
    func next() async {
        for await _ in self.stream { return }
    }
}
