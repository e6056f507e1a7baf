internal import HTTPWire
public import JSONScan
internal import Locking

extension Exchange {
    /// Reads the request's content to its end: one JSON object without duplicate members.
    ///
    /// - Parameter limit: The largest content in bytes; it is small, and kept in memory.
    /// - Throws: 415 for another content type, 413, 400/40001 for what is no JSON object, 408.
    public func receiveJSON(limit: Int = 64 << 10) async throws(GatewayError) -> JSONScanner {
        guard self.head.fields.count(of: .contentType) == 1,
            let type = self.head.fields[.contentType].flatMap({ MediaType($0) }), type.essence == "application/json"
        else { throw .unsupportedMediaType("Send one JSON object with Content-Type: application/json.") }
        let collector = ContentCollector()
        do {
            try await self.request.body.read(into: collector, limit: limit)
        } catch let error as HTTPRequestBodyError {
            throw Self.refusal(of: error, limit: limit)
        } catch {
            throw .unexpected
        }
        let scanner: JSONScanner
        do {
            scanner = try JSONScanner(validating: collector.bytes, refusingDuplicateMembers: true)
        } catch {
            throw .invalid("The request body is not valid JSON: \(error.description).")
        }
        guard scanner.root?.kind == .object else { throw .invalid("The request body must be a JSON object.") }
        return scanner
    }
}

/// Takes content that is small.
private final class ContentCollector: HTTPBodyConsumer {
    private let content = Locked<[UInt8]>([])

    var bytes: [UInt8] { self.content.withLock { $0 } }

    func consume(_ bytes: UnsafeRawBufferPointer) {
        self.content.withLock { $0.append(contentsOf: bytes) }
    }
}
