private import CLinux
internal import EventLoop
internal import GatewayCore
private import Glibc
internal import HTTPWire
internal import Telemetry
internal import UpstreamClient

/// What `doctor` sees of the platform with one free request: its name, its certificate, its clock.
struct PlatformCheck: Sendable {
    /// How far clocks may differ, in seconds: the platform takes signatures that are up to 300 s old.
    private static let skew = (warning: Int64(30), fault: Int64(240))

    let configuration: Configuration

    func findings() async -> [DoctorVerb.Finding] {
        let name = self.name
        guard name.verdict == .ok else { return [name] }
        return [name] + (await self.answer())
    }

    // MARK: - DNS

    /// The host of the platform's address.
    private var host: String {
        let rest = self.configuration.yugu.baseURL.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" }
        guard rest.first == "[" else { return String(rest.prefix { $0 != ":" }) }
        return String(rest.dropFirst().prefix { $0 != "]" })
    }

    private var name: DoctorVerb.Finding {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(self.host, nil, &hints, &list)
        guard result == 0 else {
            return DoctorVerb.Finding("dns", .fault, "\(self.host): \(String(cString: gai_strerror(result)))")
        }
        freeaddrinfo(list)
        return DoctorVerb.Finding("dns", .ok, "\(self.host) has an address")
    }

    // MARK: - TLS and clock

    private func answer() async -> [DoctorVerb.Finding] {
        let isSecure = self.configuration.yugu.baseURL.hasPrefix("https:")
        let response: HTTPTransportResponse
        do {
            response = try await self.fetch()
        } catch let error as HTTPTransportError {
            let text = "\(self.configuration.yugu.baseURL): \(error.reason.rawValue), \(error.detail)"
            return [DoctorVerb.Finding(isSecure ? "tls" : "platform", .fault, text)]
        } catch {
            return [DoctorVerb.Finding("platform", .fault, "libcurl cannot be used: \(error)")]
        }
        let secured = isSecure ? "its certificate is in order" : "without TLS, on this machine"
        let subject = isSecure ? "tls" : "platform"
        return [
            DoctorVerb.Finding(subject, .ok, "\(self.configuration.yugu.baseURL) answers, \(secured)"),
            Self.clock(of: response, now: GatewayClock.system.unixMilliseconds() / 1000),
        ]
    }

    private func fetch() async throws -> HTTPTransportResponse {
        let loop = try EventLoop(index: 0)
        defer { loop.stop() }
        let upstream = try UpstreamClient(
            configuration: self.configuration.upstreamClient(),
            loops: [loop],
            logger: .quiet
        )
        let request = HTTPTransportRequest(
            method: .get,
            url: self.configuration.yugu.baseURL + "/",
            timeout: self.configuration.yugu.connectTimeout + .seconds(10)
        )
        let result: Result<HTTPTransportResponse, HTTPTransportError>
        do throws(HTTPTransportError) {
            result = .success(try await upstream.execute(request))
        } catch {
            result = .failure(error)
        }
        await upstream.shutdown()
        return try result.get()
    }

    static func clock(of response: HTTPTransportResponse, now: Int64) -> DoctorVerb.Finding {
        guard let date = response.fields[.date].flatMap({ HTTPDate($0) }) else {
            return DoctorVerb.Finding("clock", .warning, "the platform's answer has no Date to compare with")
        }
        let ahead = now - date.unixSeconds
        let verdict: DoctorVerb.Finding.Verdict =
            switch abs(ahead) {
            case ...Self.skew.warning: .ok
            case ...Self.skew.fault: .warning
            default: .fault
            }
        let direction = ahead < 0 ? "behind" : "ahead of"
        return DoctorVerb.Finding("clock", verdict, "\(abs(ahead)) s \(direction) the platform's")
    }
}

extension Logger {
    /// For verbs, which tell by their output what went wrong.
    static let quiet = Logger(level: .error, sink: StandardErrorSink(format: .text))
}
