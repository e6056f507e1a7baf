internal import EventLoop
internal import HTTPWire

/// Content on its way from libcurl to whoever reads it: at most ``highWater`` bytes and one of libcurl's buffers wait.
///
/// `@unchecked Sendable`: touched on the loop of its multi handle only.
final class ContentFlow: @unchecked Sendable {
    typealias Piece = Result<[UInt8]?, HTTPTransportError>

    /// From so many waiting bytes on, libcurl has to keep what it has, and leaves the rest in the socket.
    static let highWater = 128 << 10

    private var bytes: [UInt8] = []
    private var isHeld = false
    private var end: Result<Void, HTTPTransportError>?
    private var reader: CheckedContinuation<Piece, Never>?

    /// False: keep it and offer it again.
    func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        if let reader = self.reader {
            self.reader = nil
            reader.resume(returning: .success([UInt8](piece)))
            return true
        }
        guard self.bytes.count < ContentFlow.highWater else {
            self.isHeld = true
            return false
        }
        self.bytes.append(contentsOf: piece)
        return true
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
    /// True: libcurl keeps something and has to be told to go on.
    func read(_ reader: CheckedContinuation<Piece, Never>) -> Bool {
        if !self.bytes.isEmpty {
            reader.resume(returning: .success(self.bytes))
            self.bytes = []
            defer { self.isHeld = false }
            return self.isHeld
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
final class TransferContent: HTTPContentSource {
    private let multi: CurlMulti
    private let serial: UInt64
    private let flow: ContentFlow

    init(multi: CurlMulti, serial: UInt64, flow: ContentFlow) {
        self.multi = multi
        self.serial = serial
        self.flow = flow
    }

    deinit {
        // What nobody will read is not fetched; without effect behind the end.
        let (multi, serial) = (self.multi, self.serial)
        multi.loop.execute { multi.cancel(serial) }
    }

    func next() async throws -> [UInt8]? {
        let (multi, serial, flow) = (self.multi, self.serial, self.flow)
        let piece = await withTaskCancellationHandler {
            await withCheckedContinuation { reader in
                let read: @Sendable () -> Void = { if flow.read(reader) { multi.resume(serial) } }
                if multi.loop.isCurrent { read() } else { multi.loop.execute(read) }
            }
        } onCancel: {
            multi.loop.execute { multi.cancel(serial) }
        }
        return try piece.get()
    }
}
