internal import HTTPWire
internal import Telemetry

extension Account {
    /// The platform's time as far as it is known, in Unix milliseconds.
    func platformTime(_ clock: GatewayClock) -> Int64 {
        let offset = self.clockOffset.components
        return clock.unixMilliseconds() + offset.seconds * 1000 + offset.attoseconds / 1_000_000_000_000_000
    }

    /// A platform clock that is far from ours is believed: signatures are judged by it (design, section 4, step 7).
    func learnClock(from response: HTTPTransportResponse, services: UpstreamServices) {
        guard let text = response.fields[.date], let date = HTTPDate(text) else { return }
        let difference = date.unixSeconds - self.platformTime(services.clock) / 1000
        guard abs(difference) > 240 else { return }
        // Set and not added: two calls may learn the same at the same time.
        self.clockOffset = .milliseconds(date.unixSeconds * 1000 - services.clock.unixMilliseconds())
        services.logger.warning(
            "platform clock differs; signing by its time",
            ["account": .string(self.name), "offset_seconds": .int(Int(difference))]
        )
    }
}
