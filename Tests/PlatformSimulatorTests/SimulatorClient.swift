import Cryptography
import Foundation
import Glibc
import Testing

@testable import PlatformSimulator

/// What came back over a socket.
struct RawReply: Sendable {
    /// Everything up to the end of the connection, or of the declared content.
    var bytes: [UInt8]
    /// Whether the other side closed, rather than the wait being over or the content complete.
    var isClosed: Bool

    private var halves: (head: String, body: [UInt8])? {
        let mark = Array("\r\n\r\n".utf8)
        guard let end = self.bytes.indices.first(where: { self.bytes[$0...].starts(with: mark) }) else { return nil }
        return (String(decoding: self.bytes[..<end], as: UTF8.self), Array(self.bytes[(end + 4)...]))
    }

    var status: Int? {
        self.halves.flatMap { Int($0.head.split(separator: " ", maxSplits: 2).dropFirst().first ?? "") }
    }

    var body: [UInt8] { self.halves?.body ?? [] }

    var text: String { String(decoding: self.body, as: UTF8.self) }

    func field(_ name: String) -> String? {
        self.halves?.head.components(separatedBy: "\r\n").dropFirst()
            .first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }

    func json() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(self.body)) as? [String: Any] ?? [:]
    }

    /// The platform's code of an error body.
    var code: Int? { (try? self.json())?["code"] as? Int }

    /// States what the status is.
    func expect(status: Int, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation) {
        #expect(self.status == status, comment, sourceLocation: location)
    }

    /// States what the code of the error body is.
    func expect(code: Int, _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation) {
        #expect(self.code == code, comment, sourceLocation: location)
    }

    var recordID: String? { (try? self.json())?["recordId"] as? String }
}

/// A connection over which a test speaks HTTP byte for byte.
final class SimulatorConnection {
    private let descriptor: Int32

    init(to address: String) throws {
        let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
        self.descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // For every single read and write: a simulator that does nothing must not keep a test for ever.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(self.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(self.descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = port.bigEndian
        target.sin_addr.s_addr = inet_addr("127.0.0.1")
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(self.descriptor, $0, size) }
        }
        try #require(status == 0)
    }

    deinit {
        close(self.descriptor)
    }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    /// Reads one answer, or what there is of it; of a handshake its head, behind which no content ends.
    func receive(atMost limit: Duration = .seconds(120)) -> RawReply {
        let deadline = ContinuousClock.now + limit
        var reply = RawReply(bytes: [], isClosed: false)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while reply.status != 101 {
            if let length = reply.field("Content-Length").flatMap({ Int($0) }), reply.body.count >= length {
                return reply
            }
            let left = deadline - .now
            guard left > .zero else { return reply }
            var item = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&item, 1, Int32(left / .milliseconds(1)) + 1) > 0 else { return reply }
            let count = recv(self.descriptor, &buffer, buffer.count, 0)
            guard count > 0 else {
                reply.isClosed = true
                return reply
            }
            reply.bytes += buffer[..<count]
        }
        return reply
    }

    /// Reads until the other side closes.
    func receiveToEnd() throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = recv(self.descriptor, &buffer, buffer.count, 0)
            try #require(count >= 0 || errno != EAGAIN, "nothing came for a minute, not even the end")
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}

/// Makes one exchange over a connection of its own, on a thread of its own: a test that waits for an answer must not
/// keep others from running.
func exchange(
    _ bytes: [UInt8],
    with platform: SimulatedPlatform,
    atMost limit: Duration = .seconds(120)
) async throws -> RawReply {
    let address = platform.address
    return try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(
                with: Result {
                    let connection = try SimulatorConnection(to: address)
                    connection.send(bytes)
                    return connection.receive(atMost: limit)
                }
            )
        }
    }
}

extension SimulatedPlatform.Configuration {
    /// A platform that evaluates at once.
    static func instant(_ change: (inout Self) -> Void) -> Self {
        var configuration = Self()
        configuration.processingTime = .zero
        change(&configuration)
        return configuration
    }
}

/// A request to evaluate, made up by hand: what a client sends, and not what the simulator thinks it should.
struct EvaluateRequest {
    var config = #"{"coreType":"sentence","referenceText":"今天天气很好","language":"zh-CN"}"#
    var configType: String? = "application/json; charset=utf-8"
    var configFilename: String?
    var hasConfig = true
    var texts: [(String, String)] = []
    var audio: [UInt8]? = TestRecording.speech
    var contentType: String?
    var account: SimulatedPlatform.Account
    var key: String?
    /// The text that is signed; form A by default.
    var signedText: String?
    var signature: String?
    var timestamp = Int(Date().timeIntervalSince1970)
    var nonce: String? = UUID().uuidString
    var fields: [(String, String)] = []
    var path = "/api/v1/evaluate"

    init(_ platform: SimulatedPlatform, key: String? = nil) {
        self.account = platform.account
        self.key = key
    }

    private static func part(_ name: String, _ filename: String?, _ type: String?, _ content: [UInt8]) -> [UInt8] {
        let file = filename.map { "; filename=\"\($0)\"" } ?? ""
        let line = type.map { "Content-Type: \($0)\r\n" } ?? ""
        return Array("--XBOUNDARYX\r\nContent-Disposition: form-data; name=\"\(name)\"\(file)\r\n\(line)\r\n".utf8)
            + content + Array("\r\n".utf8)
    }

    var bytes: [UInt8] {
        var body: [UInt8] = []
        if self.hasConfig { body += Self.part("config", self.configFilename, self.configType, Array(self.config.utf8)) }
        for (name, value) in self.texts { body += Self.part(name, nil, nil, Array(value.utf8)) }
        if let audio = self.audio { body += Self.part("audio", "audio.wav", "audio/wav", audio) }
        body += Array("--XBOUNDARYX--\r\n".utf8)
        var lines = [
            "POST \(self.path) HTTP/1.1", "Host: platform", "Content-Length: \(body.count)",
            "Content-Type: \(self.contentType ?? "multipart/form-data; boundary=XBOUNDARYX")",
            "X-App-Key: \(self.account.appKey)", "X-Timestamp: \(self.timestamp)",
            "X-Signature: \(self.signature ?? Self.sign(self.signedText ?? "config=\(self.config)", self.account.secretKey))",
        ]
        if let nonce = self.nonce { lines.append("X-Nonce: \(nonce)") }
        if let key = self.key { lines.append("Idempotency-Key: \(key)") }
        lines += self.fields.map { "\($0.0): \($0.1)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
    }

    static func sign(_ text: String, _ secret: String) -> String {
        Base64.encode(HMACSHA256.authenticationCode(for: Array(text.utf8), key: Array(secret.utf8)))
    }

    /// A request that is never answered.
    static func hanging(_ platform: SimulatedPlatform) -> [UInt8] {
        var request = EvaluateRequest(platform)
        request.fields = [("X-Sim-Fault", "hang")]
        return request.bytes
    }

    /// A request without content, signed over the empty set.
    static func report(_ recordID: String, _ account: SimulatedPlatform.Account) -> [UInt8] {
        let lines = [
            "GET /api/v1/report/\(recordID) HTTP/1.1", "Host: platform", "X-App-Key: \(account.appKey)",
            "X-Timestamp: \(Int(Date().timeIntervalSince1970))", "X-Nonce: \(UUID().uuidString)",
            "X-Signature: \(self.sign("", account.secretKey))",
        ]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// A request to a control path.
    static func control(_ method: String, _ path: String, _ json: String = "") -> [UInt8] {
        let head = "\(method) \(path) HTTP/1.1\r\nHost: platform\r\nContent-Type: application/json\r\n"
        return Array("\(head)Content-Length: \(json.utf8.count)\r\n\r\n\(json)".utf8)
    }
}
