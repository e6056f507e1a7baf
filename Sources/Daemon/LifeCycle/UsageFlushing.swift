internal import GatewayCore
internal import Store
internal import Telemetry

/// Brings what was counted in memory to the store, so that a crash loses a few seconds of it at most.
struct UsageFlushing: Sendable {
    /// How long counts stay in memory.
    static let interval: Duration = .seconds(2)

    let calls: PaidCalls
    let logger: Logger
    var clock = GatewayClock.system

    /// Works until its task is cancelled, and a last time then.
    func run() async {
        while !Task.isCancelled {
            try? await self.clock.sleep(Self.interval)
            do {
                try await self.calls.flushUsage()
            } catch {
                self.logger.warning("usage could not be written; it is kept", ["store.error": .string(error.message)])
            }
        }
    }
}
