internal import FoundationEssentials
internal import HTTPWire
internal import Locking
internal import Telemetry

/// The daemon's side of the control socket.
struct ControlResponder: HTTPResponder {
    let administration: Administration
    let logger: Logger

    func respond(to request: HTTPRequest) async -> HTTPResponse {
        guard request.head.path == ControlProtocol.path, request.head.method == .post else {
            return Self.failure(404, VerbFailure(.usage, "the control socket takes POST \(ControlProtocol.path)"))
        }
        let collector = CommandCollector()
        let command: AdministrationCommand
        do {
            try await request.body.read(into: collector, limit: ControlProtocol.maximumCommand)
            command = try JSONDecoder().decode(AdministrationCommand.self, from: Data(collector.bytes))
        } catch {
            let message = "the daemon does not know this command; it may be of another version"
            return Self.failure(400, VerbFailure(.usage, message))
        }
        do throws(VerbFailure) {
            let reply = try await self.administration.perform(command)
            self.logger.info("control command", ["control.command": .string(command.name)])
            var response = HTTPResponse(status: HTTPStatus(200), body: reply.output)
            response.fields.append(.contentType, "application/x-ndjson")
            if let next = reply.next, let text = try? JSONEncoder().encode(next),
                let field = HTTPField.Name(ControlProtocol.nextField)
            {
                response.fields.append(field, text.base64EncodedString())
            }
            return response
        } catch {
            return Self.failure(409, error)
        }
    }

    func response(to rejection: HTTPRejection) -> HTTPResponse {
        Self.failure(rejection.status.code, VerbFailure(.software, rejection.message))
    }

    private static func failure(_ status: Int, _ failure: VerbFailure) -> HTTPResponse {
        let message = failure.lines.joined(separator: "\n")
        let body = ControlProtocol.Failure(exitCode: failure.exitCode.rawValue, message: message)
        var response = HTTPResponse(status: HTTPStatus(status))
        response.body = (try? JSONEncoder().encode(body)).map { Array($0) } ?? []
        response.fields.append(.contentType, "application/json")
        return response
    }
}

/// Takes a command's bytes, at most as many as the reading allows.
private final class CommandCollector: HTTPBodyConsumer {
    private let content = Locked<[UInt8]>([])

    var bytes: [UInt8] { self.content.withLock { $0 } }

    func consume(_ bytes: UnsafeRawBufferPointer) {
        self.content.withLock { $0.append(contentsOf: bytes) }
    }
}
