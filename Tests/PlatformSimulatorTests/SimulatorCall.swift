@testable import PlatformSimulator

/// Single requests to a simulator over a socket.
enum SimulatorCall {
    static func control(
        _ method: String,
        _ path: String,
        _ json: String,
        _ platform: SimulatedPlatform
    ) async throws -> RawReply {
        try await exchange(EvaluateRequest.control(method, path, json), with: platform)
    }

    static func evaluate(
        _ fault: String?,
        key: String? = nil,
        _ platform: SimulatedPlatform,
        atMost limit: Duration = .seconds(120)
    ) async throws -> RawReply {
        var request = EvaluateRequest(platform, key: key)
        if let fault { request.fields = [("X-Sim-Fault", fault)] }
        return try await exchange(request.bytes, with: platform, atMost: limit)
    }
}
