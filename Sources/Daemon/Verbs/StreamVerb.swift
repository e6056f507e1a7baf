internal import EventLoop
internal import HTTPServer
internal import HTTPWire
internal import Telemetry
internal import UpstreamClient

/// `stream`: evaluates a recording in real time, as an app would.
struct StreamVerb: Sendable {
    /// The largest credential in bytes.
    private static let maximumCredential = 4 << 10

    let arguments: StreamArguments
    /// Whether the configuration was named.
    let isConfigured: Bool

    func run(_ context: VerbContext) async throws(VerbFailure) {
        let recording = try StreamRecording.read(self.arguments.file)
        let credential = try self.credential(context)
        let gateway = try self.gateway(context)
        let loop: EventLoop
        do throws(EventLoopError) {
            loop = try EventLoop(index: 0)
        } catch {
            throw VerbFailure(.software, error.message)
        }
        defer { loop.stop() }
        let client: UpstreamClient
        do throws(UpstreamClientError) {
            var configuration = UpstreamClient.Configuration()
            configuration.certificateAuthorityFile = self.arguments.authorityFile
            client = try UpstreamClient(configuration: configuration, loops: [loop], logger: Logger(sink: NoLog()))
        } catch {
            throw VerbFailure(error.code == .certificateAuthorityFile ? .noInput : .software, error.message)
        }
        let outcome = await Task(executorPreference: loop.executor) { () async -> Result<Void, VerbFailure> in
            do throws(VerbFailure) {
                let channel = try await self.open(gateway, client, credential)
                let conversation = StreamConversation(channel, self.arguments, recording, context.console)
                return await conversation.run()
            } catch {
                return .failure(error)
            }
        }.value
        await client.shutdown()
        try outcome.get()
    }

    /// Nothing of a single connection is logged.
    private struct NoLog: LogSink {
        func write(_ record: LogRecord) {}
    }

    private func credential(_ context: VerbContext) throws(VerbFailure) -> String {
        let source = self.arguments.credential
        var reader = SecretReader(environment: context.environment)
        let bytes = reader.read(source, path: "the credential")
        guard let bytes, reader.issues.isEmpty else {
            let advice = "--credential-env and --credential-file say where the API key or token is"
            throw VerbFailure(.noInput, "\(reader.issues.first?.message ?? "\(source) cannot be read"); \(advice)")
        }
        guard bytes.count <= Self.maximumCredential, bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw VerbFailure(.dataError, "\(source) holds no API key and no token: a single word of ASCII is expected")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Where the gateway is.
    private func gateway(_ context: VerbContext) throws(VerbFailure) -> String {
        if let gateway = self.arguments.gateway { return gateway }
        guard self.isConfigured else { return StreamArguments.defaultGateway }
        let file = try context.loadConfiguration()
        for text in file.configuration.listen {
            guard case .tcp(let host, let port)? = try? ListenAddress(text), port > 0 else { continue }
            // What listens on all addresses is to be found on this machine.
            let isAny = host == "0.0.0.0" || host == "::"
            return "ws://\(ListenAddress.tcp(host: isAny ? "127.0.0.1" : host, port: port))"
        }
        throw VerbFailure(.configuration, "\(file.path) has no address with a port to stream to; --gateway names one")
    }

    private func open(
        _ gateway: String,
        _ client: UpstreamClient,
        _ credential: String
    ) async throws(VerbFailure) -> any WebSocketChannel {
        var request = WebSocketRequest(url: gateway + "/api/v1/ws/evaluate")
        request.fields.append(.authorization, "Bearer \(credential)")
        if let user = self.arguments.user { request.fields.append(HTTPField.Name(literal: "SpeechGate-User"), user) }
        // A frame with a result may be larger than one with audio.
        request.configuration.limits.frameBytes = 8 << 20
        request.configuration.limits.messageBytes = 8 << 20
        do throws(WebSocketOpenError) {
            return try await client.open(request)
        } catch {
            throw Self.failure(error, gateway)
        }
    }

    private static func failure(_ error: WebSocketOpenError, _ gateway: String) -> VerbFailure {
        switch error {
        case .refused(let response):
            let frame = StreamFrame.decode(response.body)
            let code = frame?.code.map { ", code \($0)" } ?? ""
            let message = frame?.message.map { ": \($0)" } ?? ""
            let exitCode: ExitCode =
                switch response.status {
                case 401, 403: .noPermission
                case 429, 503: .temporaryFailure
                default: .unavailable
                }
            return VerbFailure(exitCode, "\(gateway) refused: HTTP \(response.status)\(code)\(message)")
        case .failed(let error):
            let advice =
                switch error.reason {
                case .connect, .resolve, .reset: "; is the gateway running?"
                case .tls: "; --ca-file names an authority of your own"
                default: ""
                }
            return VerbFailure(.unavailable, "\(gateway) cannot be used: \(error.detail)\(advice)")
        }
    }
}
