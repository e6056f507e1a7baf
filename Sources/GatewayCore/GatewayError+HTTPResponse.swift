public import HTTPWire
public import JSONScan

extension GatewayError {
    /// The error as an answer (design, section 7): the platform's shape with our members beside.
    ///
    /// - Parameters:
    ///   - requestID: The id under which the log knows the request.
    ///   - timestamp: Unix time in milliseconds.
    public func response(requestID: String, timestamp: Int64) -> HTTPResponse {
        var json = JSONWriter()
        json.object { self.write(to: &$0, requestID: requestID, timestamp: timestamp) }
        var fields = HTTPFields()
        fields.append(.contentType, "application/json")
        if let retryAfter = self.retryAfter { fields.append(.retryAfter, String(retryAfter)) }
        if let allow = self.allow { fields.append(.allow, allow) }
        if self.status == 426 {
            fields.append(.upgrade, "websocket")
            fields.append(.secWebSocketVersion, "13")
        }
        if self.status == 401 { fields.append(.wwwAuthenticate, "Bearer") }
        if let key = self.idempotencyKey { fields.append(.idempotencyKey, key) }
        if self.attempts > 0 { fields.append(.attempts, String(self.attempts)) }
        if let warnings = self.warnings { fields.append(.warnings, warnings) }
        return HTTPResponse(status: HTTPStatus(self.status), fields: fields, body: json.bytes)
    }

    /// The members that tell of the error, in the body of an answer as in a frame.
    public func write(to json: inout JSONObjectWriter, requestID: String, timestamp: Int64) {
        json.member("code", self.code.rawValue)
        json.member("message", self.message)
        json.member("timestamp", Int(timestamp))
        json.member("requestId", requestID)
        json.member("category", (self.category ?? self.code.category).rawValue)
        json.member("retryable", self.code.isRetryable)
        json.member("source", self.origin == .upstream ? "platform" : "gateway")
        if let reason = self.reason { json.member("reason", reason) }
    }
}
