import HTTPWire
import JSONScan

extension PlatformResponder {
    /// The largest file that is served.
    static let servedLimit = 16 << 20

    /// Reads `{"faults":[{"match":"/prefix","fault":"verb:args","times":2}],"processingMs":50}`; all members but
    /// `fault` may be missing.
    func queueFaults(_ body: [UInt8]) throws(PlatformError) -> Int {
        let fields = try JSONFields(body, called: "the body")
        let scanner = fields.scanner
        var items: [FaultQueue.Item] = []
        if let faults = scanner.value(at: "faults") {
            guard faults.kind == .array else { throw .invalid("faults is not an array") }
            for element in scanner.elements(of: faults) {
                items.append(try Self.fault(element, in: scanner))
            }
        }
        if let milliseconds = try fields.integer("processingMs", in: 0...3_600_000) {
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

    /// Queues the bytes of the body as an answer: `POST /__sim/serve?match=/prefix&status=200&times=1`, with the
    /// Content-Type of the request, or with that of the parameter `type`.
    ///
    /// Bytes are taken and no file name, so that nobody can have the simulator read files for them.
    func queueFile(_ body: [UInt8], _ head: HTTPRequestHead) throws(PlatformError) -> Int {
        func parameter(_ name: String) -> String? {
            PercentCoding.parameter(name, of: head.query).flatMap { $0.isEmpty ? nil : $0 }
        }
        guard let status = Int(parameter("status") ?? "200"), (200...599).contains(status) else {
            throw .invalid("status is no number from 200 to 599")
        }
        guard let times = Int(parameter("times") ?? "1"), times > 0 else {
            throw .invalid("times is no positive number")
        }
        let type = parameter("type") ?? head.fields[.contentType] ?? "application/json"
        let item = FaultQueue.Item(
            file: body,
            status: status,
            contentType: type,
            match: parameter("match"),
            times: times
        )
        let count = self.state.withLock { $0.faults.append([item]) ? $0.faults.count : nil }
        guard let count else { throw .invalid("too much waits to be served") }
        return count
    }
}
