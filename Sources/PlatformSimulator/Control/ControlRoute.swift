import HTTPWire

extension PlatformResponder {
    /// A control path with its methods.
    private enum ControlPath: String, CaseIterable {
        case health = "/healthz"
        case billing = "/__sim/billing"
        case log = "/__sim/log"
        case faults = "/__sim/faults"
        case serve = "/__sim/serve"
        case accounts = "/__sim/accounts"
        case settings = "/__sim/settings"
        case reset = "/__sim/reset"

        var allow: String {
            switch self {
            case .health, .billing, .log: "GET"
            case .faults, .serve, .reset: "POST"
            case .accounts, .settings: "GET, POST"
            }
        }
    }

    /// The paths under `/__sim/`, and `/healthz`.
    func control(_ request: HTTPRequest) async -> Reply {
        do throws(PlatformError) {
            return Reply(status: 200, body: try await self.controlBody(request))
        } catch {
            return Reply(error, timestamp: self.state.unixMilliseconds)
        }
    }

    private func controlBody(_ request: HTTPRequest) async throws(PlatformError) -> [UInt8] {
        let head = request.head
        let path = ControlPath(rawValue: head.path)
        let body = try await self.smallBody(of: request, limit: path == .serve ? Self.servedLimit : 4 << 20)
        guard let path else { throw PlatformError(404, 40_400, "no such path") }
        switch (head.method, path) {
        case (.get, .health):
            return Array(#"{"status":"ok"}"#.utf8)
        case (.get, .billing):
            return self.billing()
        case (.get, .log):
            return self.log()
        case (.post, .faults):
            return Array(#"{"queued":\#(try self.queueFaults(body))}"#.utf8)
        case (.post, .serve):
            return Array(#"{"queued":\#(try self.queueFile(body, head))}"#.utf8)
        case (.get, .accounts):
            return self.accounts()
        case (.post, .accounts):
            try self.changeAccounts(body)
            return self.accounts()
        case (.get, .settings):
            return self.settings()
        case (.post, .settings):
            try self.changeSettings(body)
            return self.settings()
        case (.post, .reset):
            self.state.reset()
            return Array(#"{"reset":true}"#.utf8)
        default:
            throw PlatformError(405, 40_001, "the method is not allowed here", allow: path.allow)
        }
    }

    private func smallBody(of request: HTTPRequest, limit: Int) async throws(PlatformError) -> [UInt8] {
        let body = PlainBody(keeping: limit)
        do {
            try await request.body.read(into: body, limit: limit)
        } catch {
            throw .invalid("the request content cannot be read, or is too large")
        }
        return body.bytes
    }
}
