internal import HTTPWire
internal import Telemetry

/// A request and its answer as one line of the log tells of them.
///
/// Nothing of a query, of a body or of a credential has a place here.
struct AccessRecord {
    let head: HTTPRequestHead
    /// The template of the route.
    let route: String
    let clientAddress: ClientAddress
    let requestID: String
    let response: HTTPResponse
    /// The word of a refusal of ours that tells it from others of its code.
    let reason: String?
    let duration: Duration
    let trace: RequestTrace

    /// Whether a few lines like that of a request tell enough.
    ///
    /// What failed for a client, what began or changed something, and what the platform was asked for is always told.
    /// Strangers can send as much as they like, and must not fill the disk.
    static func isRoutine(_ response: HTTPResponse, to method: HTTPMethod, trace: RequestTrace) -> Bool {
        guard trace.attempts == 0 else { return false }
        guard trace.client != nil else { return true }
        guard (200..<400).contains(response.status.code) else { return false }
        return switch method {
        case .get, .head, .options: true
        default: response.fields[.idempotencyReplayed] != nil
        }
    }

    /// The data of the line; what a request has nothing of is left out.
    var metadata: LogMetadata {
        var metadata = LogMetadata(capacity: 24)
        metadata.append("request.id", .string(self.requestID))
        if let context = self.trace.context { metadata.append("trace.id", .string(context.traceID)) }
        metadata.append("client.address", .string(self.clientAddress.text))
        if let doubt = self.clientAddress.doubt { metadata.append("client.address_doubt", .string(doubt.rawValue)) }
        if let client = self.trace.client { metadata.append("client.id", .string(client)) }
        metadata.append("client.kind", .string(self.trace.credential.rawValue))
        metadata.append("http.method", .string(self.head.method.token))
        metadata.append("http.route", .string(self.route))
        metadata.append("http.status", .int(self.response.status.code))
        if let reason = self.reason { metadata.append("reason", .string(reason)) }
        if let code = self.trace.platformCode { metadata.append("platform.code", .int(code)) }
        if self.trace.attempts > 0 { metadata.append("attempts", .int(self.trace.attempts)) }
        if self.response.fields[.idempotencyReplayed] != nil { metadata.append("replayed", .bool(true)) }
        if let recordID = self.trace.recordID { metadata.append("record.id", .string(recordID)) }
        metadata.append("bytes_in", .int(self.receivedBytes))
        if let bytes = self.sentBytes { metadata.append("bytes_out", .int(bytes)) }
        metadata.append("duration_ms", .milliseconds(self.duration))
        self.append(.content, as: "content_ms", to: &metadata)
        self.append(.winner, as: "winner_ms", to: &metadata)
        self.append(.slot, as: "slot_ms", to: &metadata)
        self.append(.platform, as: "platform_ms", to: &metadata)
        self.append(.pause, as: "pause_ms", to: &metadata)
        self.append(.store, as: "store_ms", to: &metadata)
        return metadata
    }

    private func append(_ phase: RequestTrace.Phase, as key: StaticString, to metadata: inout LogMetadata) {
        let duration = self.trace.duration(of: phase)
        if duration > .zero { metadata.append(key, .milliseconds(duration)) }
    }

    /// What came of the content, or was to come: a request may be refused by its head.
    private var receivedBytes: Int {
        guard self.trace.receivedBytes == 0, case .length(let length) = self.head.framing else {
            return self.trace.receivedBytes
        }
        return length
    }

    /// The length of the answer's content; nil for what is sent as it comes.
    private var sentBytes: Int? {
        if let stream = self.response.stream { stream.length.map { Int($0) } } else { self.response.body.count }
    }
}
