import Glibc

/// An end of a WebSocket connection that sends every message back as it came, for the Autobahn test suite.
///
///     WebSocketEcho server       listens on a free port of 127.0.0.1 and prints its address
///     WebSocketEcho client       runs the cases of the server that $AUTOBAHN_URL names
@main struct WebSocketEcho {
    static func main() async throws {
        switch CommandLine.arguments.dropFirst().first {
        case "server": try await EchoServer.run()
        case "client": try await EchoClient.run(getenv("AUTOBAHN_URL").map { String(cString: $0) } ?? "")
        default:
            let usage = "usage: WebSocketEcho server|client\n"
            _ = write(STDERR_FILENO, usage, usage.utf8.count)
            exit(64)
        }
    }
}
