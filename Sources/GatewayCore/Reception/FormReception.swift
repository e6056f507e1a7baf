internal import Cryptography
internal import HTTPWire
internal import SpeechAudio
internal import Store

/// Takes a multipart body as it arrives: parses it, digests each part and keeps the contents, in one pass.
///
/// `@unchecked Sendable`: used on the connection's loop while bytes arrive, by the same request's task afterwards.
final class FormReception: HTTPBodyConsumer, @unchecked Sendable {
    /// Text parts are small: parameters, never recordings.
    private static let maximumText = 256 << 10

    private let fileParts: Set<String>
    private let recording: String?
    private let buffer: BodyBuffer
    private var parser: MultipartParser
    private var parts: [ReceivedForm.Part] = []
    private var current: MultipartPartHead?
    private var digest: KeyedDigest
    private var start = 0
    private var count = 0
    private var text: [UInt8] = []
    private var textTotal = 0
    private var prefix: [UInt8] = []
    private var audio = WAVParser()
    private var precheck: AudioPrecheck?
    private let signed: SignedRequest?
    /// Held while nobody knows who sends this.
    private var unproven: MemoryReservation?
    private var isTried = false

    /// - Parameters:
    ///   - fileParts: The names of the parts that hold files, with or without a file name.
    ///   - recording: The name of the one that is judged as it arrives; nil for none.
    ///   - digest: Made by the storage that the buffer is of.
    ///   - signed: The request, if its signature covers the form.
    ///   - unproven: Its share of what such requests may take together; grows as bytes arrive.
    init(
        boundary: String,
        fileParts: Set<String>,
        recording: String? = nil,
        buffer: BodyBuffer,
        digest: consuming KeyedDigest,
        signed: SignedRequest? = nil,
        unproven: MemoryReservation? = nil
    ) {
        self.parser = MultipartParser(boundary: boundary)
        self.fileParts = fileParts
        self.recording = recording
        self.buffer = buffer
        self.digest = digest
        self.signed = signed
        self.unproven = unproven
        self.parts.reserveCapacity(4)
    }

    func consume(_ bytes: UnsafeRawBufferPointer) throws {
        if let unproven = self.unproven, !unproven.grow(by: bytes.count) { throw GatewayError.unprovenFull }
        try self.parser.parse(bytes) { event in try self.handle(event) }
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
        return ReceivedForm(parts: self.parts, buffer: self.buffer)
    }

    /// What a client reads when its form is broken.
    static func refusal(of error: MultipartError) -> GatewayError {
        .invalid("The multipart body is broken: \(error.message)")
    }

    private var audioMilliseconds: Int64? {
        guard self.isFilePart, self.audio.progress == .samples, let seconds = self.audio.duration else { return nil }
        return Int64(clamping: Int((seconds * 1000).rounded(.up)))
    }

    private var isFilePart: Bool {
        guard let current = self.current else { return false }
        return self.fileParts.contains(current.name)
    }

    private func handle(_ event: MultipartEvent) throws(GatewayError) {
        switch event {
        case .partBegan(let head):
            guard !self.parts.contains(where: { $0.name == head.name }) else {
                throw .invalid("The form has two parts named '\(head.name.prefix(64))'; send each name once.")
            }
            // All texts usually come before the first file: what is proven then need not wait for its end. Whether the
            // whole form is what was signed is asked at the end.
            if self.unproven != nil, !self.isTried, head.filename != nil, head.name != "config" {
                self.isTried = true
                if self.signed?.matches(SignedText.candidates(of: self.parts)) == true { self.unproven = nil }
            }
            self.current = head
            self.start = self.buffer.count
            self.count = 0
            self.text = []
            self.prefix = []
            self.audio = WAVParser()
            self.precheck = head.name == self.recording ? AudioPrecheck(head) : nil
        case .partBytes(let bytes):
            self.digest.update(bytes)
            self.precheck?.update(bytes)
            self.count += bytes.count
            if self.prefix.count < 16 { self.prefix.append(contentsOf: bytes.prefix(16 - self.prefix.count)) }
            if self.isFilePart {
                self.audio.parse(bytes) { _, _ in }
                try self.buffer.append(bytes)
            } else {
                self.textTotal += bytes.count
                guard self.textTotal <= Self.maximumText else {
                    let name = self.current?.name.prefix(64) ?? ""
                    throw .invalid("With '\(name)', the form's texts exceed \(Self.maximumText) bytes; shorten it.")
                }
                self.text.append(contentsOf: bytes)
            }
        case .partEnded:
            guard let head = self.current else { return }
            self.parts.append(
                ReceivedForm.Part(
                    name: head.name,
                    fileName: head.filename,
                    contentType: head.contentType,
                    count: self.count,
                    tag: self.digest.finalize(),
                    prefix: self.prefix,
                    text: self.text,
                    range: self.isFilePart ? self.start..<self.start + self.count : nil,
                    audioMilliseconds: self.audioMilliseconds,
                    verdict: self.precheck?.finish()
                )
            )
            self.current = nil
        }
    }
}
