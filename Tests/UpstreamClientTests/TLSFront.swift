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
    private let process = Process()

    init(to server: ScriptedServer, ending: Ending = .orderly) throws {
        self.folder = FileManager.default.temporaryDirectory.appending(path: "speechgate-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        self.authorityFile = self.folder.appending(path: "ca.pem").path
        let script = self.folder.appending(path: "front.py")
        try TLSFront.program.write(to: script, atomically: true, encoding: .utf8)
        try TLSFront.makeCertificates(in: self.folder)
        let output = Pipe()
        self.process.executableURL = URL(filePath: "/usr/bin/env")
        self.process.arguments = ["python3", script.path, "\(server.port)", ending.rawValue]
        self.process.currentDirectoryURL = self.folder
        self.process.standardOutput = output
        try self.process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        self.port = try #require(UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// The base of URLs that its certificate is for.
    var url: String { "https://localhost:\(self.port)" }

    func stop() {
        // A child of Dispatch's threads has inherited their mask, which blocks SIGTERM.
        kill(self.process.processIdentifier, SIGKILL)
        self.process.waitUntilExit()
        try? FileManager.default.removeItem(at: self.folder)
    }

    private static func makeCertificates(in folder: URL) throws {
        let authority = "-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=Test-CA"
        let leaf = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost"
        try "subjectAltName=DNS:localhost\n".write(
            to: folder.appending(path: "leaf.ext"),
            atomically: true,
            encoding: .utf8
        )
        try self.openssl("req \(authority) -keyout ca.key -out ca.pem", in: folder)
        try self.openssl("req \(leaf) -keyout leaf.key -out leaf.csr", in: folder)
        let sign = "-CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile leaf.ext"
        try self.openssl("x509 -req -in leaf.csr \(sign) -out leaf.pem", in: folder)
    }

    private static func openssl(_ arguments: String, in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
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
