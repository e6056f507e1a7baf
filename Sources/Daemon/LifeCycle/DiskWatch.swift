internal import GatewayCore
internal import Store
internal import Synchronization
internal import Telemetry

/// Looks once a second how much room the state directory's disk has, so that paid work ends before the room does.
///
/// What is left below the threshold is for the answers of calls that run, and for the store's own upkeep. A call asks what
/// was seen last, and does not look itself.
final class DiskWatch: Sendable {
    /// How often it looks.
    static let interval: Duration = .seconds(1)

    private let directory: String
    private let threshold: DiskThreshold
    private let calls: PaidCalls
    private let logger: Logger
    private let clock: GatewayClock
    private let seen = Atomic<UInt64>(.max)

    /// - Parameters:
    ///   - threshold: In bytes; with less, no paid call is sent.
    ///   - calls: Learns of it.
    init(directory: String, threshold: Int, calls: PaidCalls, logger: Logger, clock: GatewayClock = .system) {
        self.directory = directory
        self.threshold = DiskThreshold(UInt64(clamping: threshold))
        self.calls = calls
        self.logger = logger
        self.clock = clock
        self.look()
    }

    /// Bytes that were free when it looked last; nil when that cannot be told.
    var freeBytes: UInt64? {
        let bytes = self.seen.load(ordering: .relaxed)
        return bytes == .max ? nil : bytes
    }

    /// Looks until its task is cancelled.
    func run() async {
        while (try? await self.clock.sleep(Self.interval)) != nil { self.look() }
    }

    private func look() {
        let free = SpoolDirectory.freeSpace(of: self.directory).map { UInt64(clamping: $0) }
        self.seen.store(free ?? .max, ordering: .relaxed)
        // What cannot be told is no reason to refuse: the store says itself when it cannot write.
        let isLow = free.map { self.threshold.isLow($0, wasLow: self.calls.isDiskLow) } ?? false
        guard isLow != self.calls.isDiskLow else { return }
        self.calls.isDiskLow = isLow
        let metadata: LogMetadata = ["disk.free": .int(free ?? 0), "disk.threshold": .int(self.threshold.bytes)]
        if isLow {
            self.logger.error("the disk is nearly full; paid calls are refused until there is room again", metadata)
        } else {
            self.logger.notice("the disk has room again", metadata)
        }
    }
}
