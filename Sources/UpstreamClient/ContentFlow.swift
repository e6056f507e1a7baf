internal import EventLoop
internal import HTTPWire

/// Content on its way from a connection to whoever reads it: at most ``highWater`` bytes and one reading of the socket
/// wait.
///
/// `@unchecked Sendable`: touched on the loop of its exchange only.
final class ContentFlow: @unchecked Sendable {
    typealias Piece = Result<[UInt8]?, HTTPTransportError>

    /// From so many waiting bytes on, the rest is left in the socket.
    static let highWater = 128 << 10

    private var bytes: [UInt8] = []
    private var end: Result<Void, HTTPTransportError>?
    private var reader: CheckedContinuation<Piece, Never>?

    /// Whether no more should be read for now.
    var isFull: Bool { self.bytes.count >= ContentFlow.highWater }

    /// Takes what has come.
    func take(_ piece: UnsafeRawBufferPointer) {
        guard let reader = self.reader else { return self.bytes.append(contentsOf: piece) }
        self.reader = nil
        reader.resume(returning: .success([UInt8](piece)))
    }

    /// Nothing more will come.
    func finish(_ end: Result<Void, HTTPTransportError>) {
        guard self.end == nil else { return }
        self.end = end
        guard let reader = self.reader else { return }
        self.reader = nil
        reader.resume(returning: end.map { nil })
    }

    /// Answers a reader, now or when something comes.
    ///
    /// True: it was full and no longer is.
    func read(_ reader: CheckedContinuation<Piece, Never>) -> Bool {
        if !self.bytes.isEmpty {
            let wasFull = self.isFull
            reader.resume(returning: .success(self.bytes))
            self.bytes = []
            return wasFull
        }
        if let end = self.end {
            reader.resume(returning: end.map { nil })
        } else {
            self.reader = reader
        }
        return false
    }
}

/// The content of an exchange, for its reader.
final class ExchangeContent: HTTPContentSource {
    private let exchange: Exchange
    private let flow: ContentFlow
    private let loop: EventLoop

    init(_ exchange: Exchange, _ flow: ContentFlow, on loop: EventLoop) {
        self.exchange = exchange
        self.flow = flow
        self.loop = loop
    }

    deinit {
        // What nobody will read is not fetched; without effect behind the end.
        self.exchange.cancel()
    }

    func next() async throws -> [UInt8]? {
        let (exchange, flow, loop) = (self.exchange, self.flow, self.loop)
        let piece = await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let read: @Sendable () -> Void = { if flow.read(reader) { exchange.goOn() } }
                if loop.isCurrent { read() } else { loop.execute(read) }
            }
        } onCancel: {
            exchange.cancel()
        }
        return try piece.get()
    }
}
