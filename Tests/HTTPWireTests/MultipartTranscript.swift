import HTTPWire
import TestSupport

/// What a consumer of multipart content gets to see, joined so that it does not depend on cuts.
struct MultipartTranscript: Equatable, CustomStringConvertible {
    struct Part: Equatable {
        let head: MultipartPartHead
        var content: [UInt8] = []
        var hasEnded = false
    }

    var parts: [Part] = []
    var isComplete = false
    var error: MultipartError?
    /// Whether an event came where it must not.
    var isOutOfOrder = false

    var description: String {
        let parts = self.parts.map { "\($0.head) \($0.content.count) bytes\($0.hasEnded ? "" : ", open")" }
        return "\(parts) \(self.isComplete ? "complete" : "incomplete") \(self.error.map { "\($0)" } ?? "")"
    }

    /// Feeds pieces, and then says that the content has ended.
    init(
        boundary: String,
        limits: MultipartLimits = .init(),
        feed: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) {
        var parser = MultipartParser(boundary: boundary, limits: limits)
        do {
            try feed { bytes in
                try parser.parse(bytes) { event in self.take(event) }
            }
            try parser.finish()
        } catch {
            self.error = error as? MultipartError
        }
        self.isComplete = parser.isComplete
    }

    private mutating func take(_ event: MultipartEvent) {
        let isOpen = self.parts.last.map { !$0.hasEnded } ?? false
        switch event {
        case .partBegan(let head):
            self.isOutOfOrder = self.isOutOfOrder || isOpen
            self.parts.append(Part(head: head))
        case .partBytes(let bytes):
            self.isOutOfOrder = self.isOutOfOrder || !isOpen || bytes.isEmpty
            self.parts[self.parts.count - 1].content += bytes
        case .partEnded:
            self.isOutOfOrder = self.isOutOfOrder || !isOpen
            self.parts[self.parts.count - 1].hasEnded = true
        }
    }

    /// The transcript of the whole input, and what differs from it when the input is cut.
    static func verified(
        _ bytes: [UInt8],
        boundary: String,
        limits: MultipartLimits = .init()
    ) -> (MultipartTranscript, problems: String) {
        let whole = MultipartTranscript(boundary: boundary, limits: limits) { take in try bytes.withUnsafeBytes(take) }
        let differences = ParserVerifier.differences(of: bytes, expected: whole) { feed in
            MultipartTranscript(boundary: boundary, limits: limits, feed: feed)
        }
        let order = whole.isOutOfOrder ? ["an event out of order"] : []
        return (whole, (order + differences.map(\.description)).joined(separator: "\n"))
    }
}
