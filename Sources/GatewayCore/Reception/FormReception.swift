internal import Cryptography
internal import HTTPWire

/// Takes a multipart body as it arrives.
///
/// `@unchecked Sendable`: used on the connection's loop while bytes arrive, by the same request's task afterwards.
final class FormReception: HTTPBodyConsumer, @unchecked Sendable {
    private let buffer: BodyBuffer
    private var parser: MultipartParser
    private var assembly: FormAssembly
    /// All that came, with what stands around the parts.
    private(set) var receivedBytes = 0

    /// - Parameters:
    ///   - fileParts: The names of the parts that hold files, with or without a file name.
    ///   - digest: Made by the storage that the buffer is of.
    ///   - observers: What looks at the parts as they arrive.
    init(
        boundary: String,
        fileParts: [String],
        buffer: BodyBuffer,
        digest: consuming KeyedDigest,
        observers: [any FormObserver] = []
    ) {
        self.buffer = buffer
        self.parser = MultipartParser(boundary: boundary)
        self.assembly = FormAssembly(fileParts: fileParts, buffer: buffer, digest: digest, observers: observers)
    }

    /// Ends when the texts have proven whose form it is.
    var timeLimit: Duration? { self.buffer.timeLimit }

    func consume(_ bytes: UnsafeRawBufferPointer) throws {
        self.receivedBytes += bytes.count
        try self.parser.parse(bytes) { event in try self.assembly.take(event) }
    }

    /// The form, once all bytes have come.
    ///
    /// - Throws: 400/40001 when the closing boundary is missing.
    func finish() throws(GatewayError) -> ReceivedForm {
        do {
            try self.parser.finish()
        } catch {
            throw Self.refusal(of: error)
        }
        self.buffer.finish()
        return ReceivedForm(parts: self.assembly.parts, buffer: self.buffer)
    }

    /// What a client reads when its form is broken.
    static func refusal(of error: MultipartError) -> GatewayError {
        .invalid("The multipart body is broken: \(error.message)")
    }
}
