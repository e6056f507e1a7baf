import HTTPWire
import JSONScan

extension PlatformResponder {
    /// The paths under `/__sim/`, and `/healthz`.
    func control(_ request: HTTPRequest) async -> Reply {
        let head = request.head
        do throws(PlatformError) {
            let body = try await self.smallBody(of: request)
            switch (head.method, head.path) {
            case (.get, "/healthz"):
                return Reply(status: 200, body: Array(#"{"status":"ok"}"#.utf8))
            case (.get, "/__sim/billing"):
                return Reply(status: 200, body: self.billing())
            case (.get, "/__sim/log"):
                return Reply(status: 200, body: self.log())
            case (.post, "/__sim/faults"):
                let waiting = try self.queueFaults(body)
                return Reply(status: 200, body: Array(#"{"queued":\#(waiting)}"#.utf8))
            case (.post, "/__sim/reset"):
                self.state.reset()
                return Reply(status: 200, body: Array(#"{"reset":true}"#.utf8))
            case (_, "/healthz"), (_, "/__sim/billing"), (_, "/__sim/log"):
                throw PlatformError(405, 40_001, "the method is not allowed here", allow: "GET")
            case (_, "/__sim/faults"), (_, "/__sim/reset"):
                throw PlatformError(405, 40_001, "the method is not allowed here", allow: "POST")
            default:
                throw PlatformError(404, 40_400, "no such path")
            }
        } catch {
            return Reply(error, timestamp: self.state.unixMilliseconds)
        }
    }

    private func smallBody(of request: HTTPRequest) async throws(PlatformError) -> [UInt8] {
        let limit = 4 << 20
        let body = PlainBody(keeping: limit)
        do {
            try await request.body.read(into: body, limit: limit)
        } catch {
            throw .invalid("the request content cannot be read")
        }
        return body.bytes
    }

    /// Reads `{"faults":[{"match":"/prefix","fault":"verb:args","times":2}],"processingMs":50}`; all members but
    /// `fault` may be missing.
    private func queueFaults(_ body: [UInt8]) throws(PlatformError) -> Int {
        let scanner: JSONScanner
        do throws(JSONScanError) {
            scanner = try JSONScanner(validating: body, maximumDepth: 8)
        } catch {
            throw .invalid("the body is not JSON")
        }
        guard scanner.root?.kind == .object else { throw .invalid("the body is not a JSON object") }
        var items: [FaultQueue.Item] = []
        if let faults = scanner.value(at: "faults") {
            guard faults.kind == .array else { throw .invalid("faults is not an array") }
            for element in scanner.elements(of: faults) {
                items.append(try Self.fault(element, in: scanner))
            }
        }
        if let processing = scanner.value(at: "processingMs") {
            guard let milliseconds = scanner.int(of: processing), (0...3_600_000).contains(milliseconds) else {
                throw .invalid("processingMs is no number of milliseconds")
            }
            self.state.withLock { $0.processingTime = .milliseconds(milliseconds) }
        }
        let queued = items
        let count = self.state.withLock { $0.faults.append(queued) ? $0.faults.count : nil }
        guard let count else { throw .invalid("more than \(FaultQueue.capacity) faults wait") }
        return count
    }

    private static func fault(_ value: JSONValueRange, in scanner: JSONScanner) throws(PlatformError) -> FaultQueue.Item
    {
        func string(_ name: String) -> String? {
            scanner.value(at: [name], in: value).flatMap { scanner.string(of: $0) }
        }
        guard value.kind == .object, let text = string("fault"), let fault = Fault(text) else {
            throw .invalid("an element of faults has no known fault")
        }
        var times = 1
        if let number = scanner.value(at: ["times"], in: value) {
            guard let count = scanner.int(of: number), count > 0 else { throw .invalid("times is no positive number") }
            times = count
        }
        let match = string("match").flatMap { $0.isEmpty ? nil : $0 }
        return FaultQueue.Item(match: match, text: text, fault: fault, times: times)
    }

    private func billing() -> [UInt8] {
        let (ledger, evicted) = self.state.withLock { ($0.ledger, $0.idempotency.evicted) }
        var writer = JSONWriter()
        writer.object { object in
            object.member("billed", ledger.billed)
            object.object("byKey") { keys in
                for (key, count) in ledger.billedByKey.sorted(by: { $0.key < $1.key }) { keys.member(key, count) }
            }
            object.array("records") { records in
                for bill in ledger.recentBills {
                    records.object { record in
                        record.member("recordId", bill.recordID)
                        record.member("key", bill.key)
                        record.member("appKey", bill.appKey)
                        record.member("coreType", bill.coreType)
                        record.member("overall", bill.overall)
                        record.member("time", bill.time)
                    }
                }
            }
            // Both stay at their first values unless a run is larger than the simulator was set up for.
            object.member("truncated", ledger.isTruncated)
            object.member("evicted", evicted)
        }
        return writer.bytes
    }

    private func log() -> [UInt8] {
        let requests = self.state.withLock { $0.ledger.recentRequests }
        var writer = JSONWriter()
        writer.array { array in
            for request in requests {
                array.object { entry in
                    entry.member("order", request.order)
                    entry.member("time", request.time)
                    entry.member("method", request.method)
                    entry.member("path", request.path)
                    entry.member("key", request.key)
                    entry.member("attempt", request.attempt)
                    entry.member("fault", request.fault)
                    entry.member("replayed", request.isReplayed)
                    entry.member("status", request.status)
                    entry.member("code", request.code)
                    entry.member("recordId", request.recordID)
                    entry.member("appKey", request.appKey)
                    entry.member("timestamp", request.timestamp)
                    entry.member("nonce", request.nonce)
                    entry.member("bodyBytes", request.bodyBytes)
                }
            }
        }
        return writer.bytes
    }
}
