import Glibc

/// A certificate authority and a server certificate for the loopback, made for one run with the `openssl` command.
struct TestCertificates: Sendable {
    /// Why there are none.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private let folder: String

    /// The authority's certificate, which clients are told to trust.
    var authorityFile: String { "\(self.folder)/ca.pem" }
    /// The server's certificate.
    var certificateFile: String { "\(self.folder)/server.pem" }
    /// The server's key.
    var keyFile: String { "\(self.folder)/server.key" }

    /// Makes them in a folder of their own, which only this user can read.
    ///
    /// - Parameter days: How long the server's is valid; less than 0 for one that has ended.
    /// - Throws: ``Failure``, when the command is missing or fails.
    init(days: Int = 30) throws(Failure) {
        var template = Array("/tmp/speechsim-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(description: "no temporary folder can be made") }
        self.folder = template.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-sha256"]
        let request = "\(self.folder)/server.csr"
        do {
            try Self.run(
                ["openssl", "req", "-x509", "-days", "30"] + key + [
                    "-keyout", "\(self.folder)/ca.key", "-out", self.authorityFile, "-subj", "/CN=speechsim authority",
                    "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign",
                ]
            )
            try Self.run(
                ["openssl", "req"] + key + [
                    "-keyout", self.keyFile, "-out", request, "-subj", "/CN=speechsim",
                    "-addext", "basicConstraints=critical,CA:FALSE",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1",
                ]
            )
            // Only this subcommand makes certificates that have ended.
            try Self.run([
                "openssl", "x509", "-req", "-in", request, "-CA", self.authorityFile, "-CAkey",
                "\(self.folder)/ca.key", "-copy_extensions", "copyall", "-days", "\(days)", "-out",
                self.certificateFile,
            ])
        } catch {
            self.remove()
            throw error
        }
    }

    /// Deletes the files and their folder.
    func remove() {
        for name in ["ca.pem", "ca.key", "server.pem", "server.key", "server.csr", "ca.srl"] {
            unlink("\(self.folder)/\(name)")
        }
        rmdir(self.folder)
    }

    private static func run(_ command: [String]) throws(Failure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 0...2 {
            posix_spawn_file_actions_addopen(&actions, Int32(descriptor), "/dev/null", O_RDWR, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process: pid_t = 0
        guard posix_spawnp(&process, command[0], &actions, nil, &arguments, environ) == 0 else {
            throw Failure(description: "the command \(command[0]) cannot be started")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw Failure(description: "openssl made no certificate") }
    }
}
