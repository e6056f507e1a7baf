internal import GatewayCore
internal import HTTPWire

/// `GET /v1/audio/{link}`: made speech, streamed through as fast as the client takes it.
struct SpeechAudioRoute: Sendable {
    let provider: YuguProvider
    let relay: SpeechRelay

    var route: Route {
        Route(.get, SpeechRelay.path + "{link}") { exchange async throws(GatewayError) in
            try await self.answer(exchange)
        }
    }

    private func answer(_ exchange: Exchange) async throws(GatewayError) -> HTTPResponse {
        // What a signed call has made is fetched with a signature: some SDKs have nothing else.
        let principal = try self.provider.access.admitWithoutContent(exchange, for: .tts)
        let owner = SpeechRelay.Owner(client: principal.client, user: principal.user)
        let now = self.provider.upstream.clock.unixMilliseconds()
        guard let url = self.relay.url(of: exchange.parameter ?? "", for: owner, now: now),
            let reach = self.relay.reach(of: url, baseURL: self.provider.configuration.baseURL)
        else { throw Self.noAudio }
        let place = try self.provider.upstream.limiter.place(of: principal)
        let stream: HTTPTransportStream
        do {
            stream = try await self.relay.transport.open(self.relay.request(url, reach, of: exchange.head.fields))
        } catch {
            throw .unreachable(error.reason.rawValue)
        }
        // Redirections are not followed: they could lead anywhere.
        switch stream.status {
        case 200, 206:
            var response = SpeechRelay.response(stream)
            // The call lasts as long as the client takes its audio.
            response.stream = response.stream.map {
                HTTPContentStream(length: $0.length, source: PlacedContent($0.source, in: place))
            }
            return response
        case 404, 410: throw Self.noAudio
        case 416:
            var response = SpeechRelay.response(stream)
            response.stream = nil
            return response
        default: throw .unreachable("status \(stream.status)")
        }
    }

    private final class PlacedContent: HTTPContentSource {
        private let source: any HTTPContentSource
        private let place: CallPlace

        init(_ source: any HTTPContentSource, in place: CallPlace) {
            self.source = source
            self.place = place
        }

        func next() async throws -> [UInt8]? { try await self.source.next() }
    }

    private static let noAudio = GatewayError.notFound("There is no such audio, or no longer.")
}
