internal import CLinux
internal import FoundationEssentials
private import Glibc

/// The command line's side of the control socket: one blocking HTTP exchange.
struct ControlClient: Sendable {
    /// Why a command was not performed.
    enum Failure: Error, Hashable, Sendable {
        /// Nobody listens there.
        case noDaemon
        /// The user may not talk to the daemon.
        case forbidden
        /// The daemon did not answer, or not in a way that can be understood.
        case broken(String)
        /// The daemon did not do it.
        case refused(VerbFailure)
    }

    /// The largest answer in bytes.
    private static let maximumAnswer = 64 << 20
    /// How long the daemon may be silent, in milliseconds: longer than its slowest commit.
    ///
    /// A long command has no limit; the end of the daemon ends the connection.
    private static let patience: Int32 = 60_000

    /// The socket.
    let path: String

    /// Has a command performed.
    ///
    /// - Throws: ``Failure`` when the daemon could not be asked, or said no.
    /// - Returns: What the daemon answered.
    func perform(_ command: AdministrationCommand) throws(Failure) -> AdministrationReply {
        let body: Data
        do {
            body = try JSONEncoder().encode(command)
        } catch {
            throw .broken("the command cannot be written down")
        }
        var request = Array("POST \(ControlProtocol.path) HTTP/1.1\r\nHost: control\r\nConnection: close\r\n".utf8)
        request += Array("Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n".utf8)
        request += body
        let answer = try ControlAnswer(
            parsing: try self.exchange(request, patience: command.isLong ? -1 : Self.patience)
        )
        guard answer.status == 200 else {
            guard let failure = try? JSONDecoder().decode(ControlProtocol.Failure.self, from: Data(answer.body)),
                let exitCode = ExitCode(rawValue: failure.exitCode)
            else { throw .broken("the daemon answered \(answer.status)") }
            throw .refused(VerbFailure(exitCode, failure.message))
        }
        var next: AdministrationCommand?
        if let text = answer.fields[ControlProtocol.nextField] {
            next = Data(base64Encoded: text).flatMap { try? JSONDecoder().decode(AdministrationCommand.self, from: $0) }
            guard next != nil else { throw .broken("the daemon does not say how the list goes on") }
        }
        return AdministrationReply(output: answer.body, next: next)
    }

    private func exchange(_ request: [UInt8], patience: Int32) throws(Failure) -> [UInt8] {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .broken("no socket: \(Self.reason)") }
        defer { close(descriptor) }
        try self.connect(descriptor)
        var rest = request[...]
        while !rest.isEmpty {
            try Self.wait(descriptor, for: POLLOUT, patience: patience)
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0 {
                if errno == EINTR { continue }
                throw .broken("the daemon does not listen: \(Self.reason)")
            }
            rest = rest.dropFirst(count)
        }
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            try Self.wait(descriptor, for: POLLIN, patience: patience)
            let count = chunk.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count < 0 {
                if errno == EINTR { continue }
                throw .broken("the daemon does not answer: \(Self.reason)")
            }
            if count == 0 { return answer }
            answer += chunk[..<count]
            guard answer.count <= Self.maximumAnswer else { throw .broken("the daemon's answer is too large") }
        }
    }

    private func connect(_ descriptor: Int32) throws(Failure) {
        var address = sockaddr_un()
        let length = clinux_unix_address(&address, self.path)
        guard length > 0 else { throw .broken("the socket's path is too long: \(self.path)") }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, length) }
        }
        guard result != 0 else { return }
        switch errno {
        case ENOENT, ECONNREFUSED, ENOTDIR: throw .noDaemon
        case EACCES, EPERM: throw .forbidden
        default: throw .broken("cannot reach the daemon: \(Self.reason)")
        }
    }

    private static func wait(_ descriptor: Int32, for event: Int32, patience: Int32) throws(Failure) {
        var waiting = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while true {
            let count = poll(&waiting, 1, patience)
            if count > 0 { return }
            guard count < 0, errno == EINTR else {
                throw .broken("the daemon was silent for \(patience / 1_000) seconds")
            }
        }
    }

    private static var reason: String { String(cString: strerror(errno)) }
}

/// An HTTP answer that ended with its connection.
private struct ControlAnswer {
    let status: Int
    /// By lower-case name.
    let fields: [String: String]
    let body: [UInt8]

    init(parsing bytes: [UInt8]) throws(ControlClient.Failure) {
        let mark = Array("\r\n\r\n".utf8)
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else {
            throw .broken("the daemon closed without an answer")
        }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw .broken("the daemon's answer is no HTTP")
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields[line[..<colon].lowercased()] = String(value)
        }
        self.status = status
        self.fields = fields
        self.body = Array(bytes[(end + mark.count)...])
        guard let length = fields["content-length"].flatMap({ Int($0) }), length == self.body.count else {
            throw .broken("the daemon's answer is incomplete")
        }
    }
}
