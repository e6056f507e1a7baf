internal import Cryptography
internal import HTTPWire

/// Makes a form of what a multipart parser finds: digests each part and keeps the contents, in one pass.
struct FormAssembly: ~Copyable {
    /// Text parts are small: parameters, never recordings.
    private static let maximumText = 256 << 10

    private struct Current {
        let head: MultipartPartHead
        /// Where the content of a file begins in the buffer; nil for a text.
        let start: Int?
        var count = 0
        var text: [UInt8] = []
    }

    private let fileParts: [String]
    private let buffer: BodyBuffer
    private let observers: [any FormObserver]
    private var digest: KeyedDigest
    private var current: Current?
    private var textTotal = 0
    /// The complete parts.
    private(set) var parts: [ReceivedForm.Part] = []

    init(
        fileParts: [String],
        buffer: BodyBuffer,
        digest: consuming KeyedDigest,
        observers: [any FormObserver]
    ) {
        self.fileParts = fileParts
        self.buffer = buffer
        self.digest = digest
        self.observers = observers
        self.parts.reserveCapacity(4)
    }

    /// Takes what comes next.
    ///
    /// - Throws: 400 for a repeated name or too much text, 503 without room, or what an observer refuses.
    mutating func take(_ event: MultipartEvent) throws(GatewayError) {
        switch event {
        case .partBegan(let head): try self.begin(head)
        case .partBytes(let bytes): try self.append(bytes)
        case .partEnded: self.end()
        }
    }

    private mutating func begin(_ head: MultipartPartHead) throws(GatewayError) {
        for part in self.parts where part.name == head.name {
            throw .invalid("The form has two parts named '\(head.name.prefix(64))'; send each name once.")
        }
        try self.buffer.keep(head.size)
        for observer in self.observers { try observer.began(head, after: self.parts) }
        self.current = Current(head: head, start: self.fileParts.contains(head.name) ? self.buffer.count : nil)
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) throws(GatewayError) {
        self.digest.update(bytes)
        for observer in self.observers { try observer.received(bytes) }
        self.current?.count += bytes.count
        guard self.current?.start == nil else { return try self.buffer.append(bytes) }
        self.textTotal += bytes.count
        guard self.textTotal <= Self.maximumText else {
            let name = self.current?.head.name.prefix(64) ?? ""
            throw .invalid("With '\(name)', the form's texts exceed \(Self.maximumText) bytes; shorten it.")
        }
        try self.buffer.keep(bytes.count)
        self.current?.text.append(contentsOf: bytes)
    }

    private mutating func end() {
        guard let current = self.current.take() else { return }
        var part = ReceivedForm.Part(
            name: current.head.name,
            fileName: current.head.filename,
            contentType: current.head.contentType,
            count: current.count,
            tag: self.digest.finalize(),
            text: current.text,
            range: current.start.map { $0..<$0 + current.count }
        )
        for observer in self.observers { observer.ended(&part) }
        self.parts.append(part)
    }
}

extension MultipartPartHead {
    /// What is kept of it, in bytes.
    fileprivate var size: Int {
        self.name.utf8.count + (self.filename?.utf8.count ?? 0) + (self.contentType?.utf8.count ?? 0)
    }
}
