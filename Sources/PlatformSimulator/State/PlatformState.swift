import CLinux
import Cryptography
import Glibc
import Locking
import Synchronization

/// All that the simulated platform knows, shared by its loops.
final class PlatformState: Sendable {
    /// What the lock guards.
    struct Contents: Sendable {
        /// Counts resets: what began before one leaves no trace after it.
        var epoch = 0
        var accounts: AccountBook
        var clockOffset = 0
        var processingTime: Duration
        var faults = FaultQueue()
        var idempotency: IdempotencyTable
        var nonces: NonceWindow
        var ledger: Ledger
        var shelf: RecordShelf
        var speeches: SpeechShelf
        /// How the addresses of made speech are written.
        var audioURLForm: AudioURLForm
        /// Requests that wait for the end of a run, by the names of their pauses.
        var waiters: [IdempotencyTable.Ticket: [Int]] = [:]

        init(_ configuration: SimulatedPlatform.Configuration) {
            self.accounts = AccountBook(configuration)
            self.audioURLForm = configuration.givesAudioPaths ? .path : .absolute
            self.processingTime = configuration.processingTime
            self.idempotency = IdempotencyTable(
                limits: IdempotencyTable.Limits(
                    answerLifetime: configuration.answerLifetime,
                    runningLifetime: configuration.runningLifetime,
                    answerBytes: configuration.answerBytes,
                    answerCount: configuration.keyCapacity
                )
            )
            self.nonces = NonceWindow(lifetime: configuration.nonceLifetime)
            self.ledger = Ledger(capacity: configuration.logCapacity, keyCapacity: configuration.keyCapacity)
            self.shelf = RecordShelf(budget: configuration.answerBytes)
            self.speeches = SpeechShelf(budget: configuration.answerBytes)
        }
    }

    /// How it was set up; the accounts are complete.
    let configuration: SimulatedPlatform.Configuration
    /// The waits of its requests.
    let pauses = Pauses()
    private let contents: Locked<Contents>
    private let serial = Atomic<UInt64>(1)
    private let seed: UInt64
    /// Its base URL, once it listens.
    private let baseURL = Locked("")
    /// Called with the new offset when the clock is set off.
    private let clockChanged = Locked<(@Sendable (Int) -> Void)?>(nil)

    /// The state at the start.
    init(_ configuration: SimulatedPlatform.Configuration) {
        self.configuration = configuration
        self.contents = Locked(Contents(configuration))
        self.seed = SecureRandom.bytes(count: 8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Looks at the contents, or changes them; nothing slow may happen in there.
    func withLock<Result: Sendable>(_ body: (inout sending Contents) -> Result) -> Result {
        self.contents.withLock { body(&$0) }
    }

    /// The platform's time in Unix seconds.
    var unixSeconds: Int {
        let second = self.configuration.clock.map { $0() / 1_000 } ?? Int(clinux_unix_seconds())
        return second + self.withLock { $0.clockOffset }
    }

    /// The platform's time in Unix milliseconds.
    var unixMilliseconds: Int {
        let millisecond = self.configuration.clock.map { $0() } ?? UnixClock.milliseconds
        return millisecond + self.withLock { $0.clockOffset } * 1_000
    }

    /// Sets the clock off.
    func setClockOffset(_ seconds: Int) {
        self.withLock { $0.clockOffset = seconds }
        self.clockChanged.withLock { $0 }?(seconds)
    }

    /// Names what follows the clock's changes.
    func onClockChange(_ follow: @escaping @Sendable (Int) -> Void) {
        self.clockChanged.withLock { $0 = follow }
    }

    /// Says where it listens, such as `127.0.0.1:41233`.
    func listens(at address: String) {
        // A wildcard is no address to go to.
        let host =
            switch true {
            case address.hasPrefix("0.0.0.0:"): "127.0.0.1" + address.dropFirst(7)
            case address.hasPrefix("[::]:"): "[::1]" + address.dropFirst(4)
            default: address
            }
        self.baseURL.withLock { $0 = "http://" + host }
    }

    /// The address of a file of made speech.
    func audioURL(_ fileName: String, _ form: AudioURLForm) -> String {
        switch form {
        case .absolute: self.baseURL.withLock { $0 } + "/tts/audio/" + fileName
        case .path: "/audio/" + fileName
        case .fixed(let address): address
        }
    }

    /// The day that a time belongs to where the platform is.
    func day(ofUnixSeconds seconds: Int) -> CalendarDay {
        CalendarDay(unixSeconds: seconds, offset: Int(self.configuration.dayOffset.components.seconds))
    }

    /// The texts of an evaluation: kept ones, else written anew.
    func rendering(of recipe: EvaluationRecipe) -> RenderedEvaluation {
        if let shared = self.withLock({ $0.shelf.shared(recipe.fingerprint) }) { return shared.rendered }
        let rendered = RenderedEvaluation(recipe.input, audio: recipe.audio)
        self.withLock { $0.shelf.share(recipe, rendered) }
        return rendered
    }

    /// An identifier of 32 hexadecimal digits.
    func makeTraceID() -> String {
        let number = self.serial.wrappingAdd(1, ordering: .relaxed).oldValue
        var random = DeterministicRandom(seed: DeterministicRandom.mix(self.seed &+ number))
        return HexadecimalText.make(random.next(), digits: 16) + HexadecimalText.make(random.next(), digits: 16)
    }

    /// A record id that this process has not used: an odd factor maps the 48 bits onto themselves.
    func makeRecordID(prefix: StaticString) -> String {
        let number = self.serial.wrappingAdd(1, ordering: .relaxed).oldValue
        let bits = (number &* 0x9E37_79B9_7F4B &+ self.seed) & 0xFFFF_FFFF_FFFF
        return "\(prefix)" + HexadecimalText.make(bits, digits: 12)
    }

    /// Forgets requests, keys, records and faults, and undoes clock and account changes.
    func reset() {
        let waiting = self.withLock { contents in
            let old = contents
            contents = Contents(self.configuration)
            contents.epoch = old.epoch + 1
            contents.processingTime = old.processingTime
            contents.accounts = old.accounts
            contents.accounts.reset()
            contents.audioURLForm = old.audioURLForm
            contents.idempotency = old.idempotency
            contents.idempotency.removeAll()
            return old.waiters.values.flatMap(\.self)
        }
        waiting.forEach(self.pauses.end)
        self.setClockOffset(0)
    }
}

/// The clock of the machine.
enum UnixClock {
    /// Milliseconds since 1970.
    static var milliseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}

/// Fixed-width hexadecimal text.
enum HexadecimalText {
    /// The lowest digits of a number.
    static func make(_ value: UInt64, digits: Int) -> String {
        String(unsafeUninitializedCapacity: digits) { buffer in
            var rest = value
            for index in (0..<digits).reversed() {
                let digit = UInt8(rest & 15)
                buffer[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                rest >>= 4
            }
            return digits
        }
    }
}
