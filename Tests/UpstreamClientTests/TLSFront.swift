import Foundation
import TestSupport
import Testing

/// TLS in front of a ``ScriptedServer``: a small Python program ends the encryption and passes bytes on, both ways, and
/// the way a connection ends too.
///
/// Its certificate, for `localhost` only, is signed by an authority made on the spot.
final class TLSFront {
    /// How the encrypted side ends when the server behind ends in order.
    enum Ending: String {
        /// With a close_notify, as TLS wants it.
        case orderly
        /// Without one, as an attacker could make it.
        case abrupt
    }

    let port: UInt16
    /// The PEM file of the authority.
    let authorityFile: String

    private let folder: URL
    private let process: ChildProcess

    init(to server: ScriptedServer, ending: Ending = .orderly) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "speechgate-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        self.authorityFile = folder.appending(path: "ca.pem").path
        try await Self.makeCertificates(in: folder)
        self.process = try ChildProcess(
            Self.env,
            ["python3", "-c", Self.program, "\(server.port)", ending.rawValue],
            log: folder.appending(path: "front.log"),
            in: folder
        )
        self.port = try #require(await self.process.readLine().flatMap { UInt16($0) }, "\(self.process.errorText)")
    }

    private static let env = URL(filePath: "/usr/bin/env")

    /// The base of URLs that its certificate is for.
    var url: String { "https://localhost:\(self.port)" }

    /// Whether the next connection goes on with the TLS session of an earlier one.
    func nextIsResumed() async -> Bool? {
        await self.process.readLine().map { $0 == "True" }
    }

    func stop() {
        self.process.signal(SIGTERM)
        try? FileManager.default.removeItem(at: self.folder)
    }

    private static func makeCertificates(in folder: URL) async throws {
        let authority = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=Test-CA"
        let leaf = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost"
        try "subjectAltName=DNS:localhost\n".write(
            to: folder.appending(path: "leaf.ext"),
            atomically: true,
            encoding: .utf8
        )
        try await self.openssl("req \(authority) -keyout ca.key -out ca.pem", in: folder)
        try await self.openssl("req \(leaf) -keyout leaf.key -out leaf.csr", in: folder)
        let sign = "-CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile leaf.ext"
        try await self.openssl("x509 -req -in leaf.csr \(sign) -out leaf.pem", in: folder)
    }

    private static func openssl(_ arguments: String, in folder: URL) async throws {
        let words = ["openssl"] + arguments.split(separator: " ").map(String.init)
        let (status, output) = try await ChildProcess.run(Self.env, words, in: folder)
        try #require(status == 0, "\(output)")
    }

    private static let program = """
        import select, socket, ssl, struct, sys, threading

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("leaf.pem", "leaf.key")

        def reset(raw):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raw.close()

        def serve(raw):
            try:
                outside = context.wrap_socket(raw, server_side=True)
            except (ssl.SSLError, OSError):
                return raw.close()
            print(outside.session_reused, flush=True)
            inside = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
            try:
                while True:
                    ready = [outside] if outside.pending() else select.select([outside, inside], [], [])[0]
                    if outside in ready:
                        data = outside.recv(65536)
                        if not data:
                            inside.shutdown(socket.SHUT_WR)
                            break
                        inside.sendall(data)
                    if inside in ready:
                        data = inside.recv(65536)
                        if not data:
                            if sys.argv[2] == "orderly":
                                outside.settimeout(1)
                                outside.unwrap()
                            break
                        outside.sendall(data)
            except (ssl.SSLError, OSError):
                inside.close()
                return reset(outside)
            inside.close()
            outside.close()

        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        print(listener.getsockname()[1], flush=True)
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """
}
