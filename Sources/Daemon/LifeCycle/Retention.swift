internal import GatewayCore
internal import Store
internal import Telemetry

/// Deletes what is older than its retention, and what a crash left to be erased, in small batches, so that no batch
/// holds up a paid call.
struct Retention: Sendable {
    /// How long to rest when nothing is left to delete.
    static let interval: Duration = .seconds(60)
    /// How long to rest between batches.
    static let pause: Duration = .milliseconds(50)

    let store: Store
    let erasures: Erasures
    let logger: Logger
    var clock = GatewayClock.system

    /// Works until its task is cancelled.
    func run() async {
        while !Task.isCancelled {
            var isComplete = true
            // Each by itself: one that fails must not keep the other from its work.
            do {
                try await self.erasures.resume()
            } catch {
                self.logger.warning("erasures could not be resumed", ["store.error": .string(error.message)])
            }
            do {
                let expiry = try await self.store.expire(now: self.clock.unixMilliseconds())
                isComplete = expiry.isComplete
                if expiry.keys + expiry.records + expiry.unknown > 0 {
                    self.logger.info(
                        "expired",
                        [
                            "store.keys": .int(expiry.keys),
                            "store.records": .int(expiry.records),
                            "store.unknown": .int(expiry.unknown),
                        ]
                    )
                }
            } catch {
                self.logger.warning("retention could not be applied", ["store.error": .string(error.message)])
            }
            do {
                try await self.clock.sleep(isComplete ? Self.interval : Self.pause)
            } catch {
                return
            }
        }
    }
}
