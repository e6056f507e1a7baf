internal import GatewayCore
internal import HTTPWire
internal import SpeechAudio

/// The parts of an evaluation as they go to the platform: texts, which are signed, a recording, perhaps a picture.
struct EvaluateForm: Sendable {
    static let audioName = "audio"
    static let imageName = "image"

    /// What is evaluated, as the platform's records name it.
    let coreType: String
    private let form: ReceivedForm
    /// The text that is JSON and says so; none in a compat evaluation.
    private let config: ReceivedForm.Part?
    private let texts: [ReceivedForm.Part]
    let audio: ReceivedForm.Part
    private let image: ReceivedForm.Part?

    /// Takes the parts.
    ///
    /// - Parameters:
    ///   - config: The part among them that is sent as JSON.
    ///   - fileParts: The names of those that are files.
    /// - Throws: 400/40001 for a missing or empty file, or a text that cannot be signed.
    init(
        _ form: ReceivedForm,
        coreType: String,
        config: ReceivedForm.Part? = nil,
        fileParts: [String]
    ) throws(GatewayError) {
        guard let audio = form.part(named: Self.audioName) else {
            throw .invalid("The form lacks the part 'audio' with the recording.")
        }
        let image = fileParts.contains(Self.imageName) ? form.part(named: Self.imageName) : nil
        for file in [audio, image] {
            if let file, file.count == 0 { throw .invalid("The part '\(file.name)' is empty.") }
        }
        let texts = form.parts.filter { !fileParts.contains($0.name) && $0.name != config?.name }
        for text in texts { try Self.checkSigned(text) }
        self.coreType = coreType
        self.form = form
        self.config = config
        self.texts = texts
        self.audio = audio
        self.image = image
    }

    /// Refuses texts that the platform could read otherwise than they were signed: the signature would fail, and that
    /// counts against the account of all clients.
    private static func checkSigned(_ part: ReceivedForm.Part) throws(GatewayError) {
        guard !part.name.isEmpty, part.name.utf8.allSatisfy(Self.isPlain) else {
            throw .invalid("A part's name may hold printable ASCII characters only, and no space, quote, \\ or %.")
        }
        guard String(validating: part.text, as: UTF8.self) != nil else {
            throw .invalid("The part '\(part.name.prefix(64))' is not UTF-8.")
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && ![UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "%")].contains(byte)
    }

    /// How long the recording is; nil when only the platform can tell.
    var audioMilliseconds: Int64? { self.form.recordingLength(of: self.audio)?.milliseconds }

    /// The text that is signed: every text part as it is sent, and no file (contract yugu, section 3.4).
    ///
    /// For a native evaluation this is form A. A client whose `config` has a file name, as a browser sends a Blob, must
    /// sign form B, since the platform takes that part for a file then. We never send it one: upstream there is form A
    /// alone, and nothing is lost between JSON and scalar texts.
    var payload: String {
        let signed = self.texts + [self.config].compactMap(\.self)
        return RequestSignature.payload(of: signed.map { ($0.name, String(decoding: $0.text, as: UTF8.self)) })
    }

    /// The canonical form: config, other texts, audio, image; each part's content untouched.
    ///
    /// Plain texts have neither file name nor type (contract yugu, section 4.1): a charset could change what was signed.
    func encode(with encoder: MultipartEncoder) -> [HTTPBodySegment] {
        var segments: [HTTPBodySegment] = []
        segments.reserveCapacity(3 * (self.texts.count + 3) + 1)
        func append(_ part: ReceivedForm.Part, fileName: String? = nil, contentType: String? = nil) {
            let head = encoder.partHead(name: part.name, filename: fileName, contentType: contentType)
            segments.append(.bytes(head))
            segments.append(self.form.content(of: part))
            segments.append(.bytes(MultipartEncoder.partEnd))
        }
        if let config = self.config { append(config, contentType: "application/json; charset=utf-8") }
        for text in self.texts { append(text) }
        append(
            self.audio,
            fileName: Self.baseName(self.audio.fileName) ?? "audio.wav",
            contentType: Self.known(self.audio.contentType)
                ?? AudioMediaType.sniff(self.form.prefix(of: self.audio), fileName: self.audio.fileName)
        )
        if let image = self.image {
            let type = ImageMediaType(sniffing: self.form.prefix(of: image))
            append(
                image,
                fileName: Self.baseName(image.fileName) ?? type?.fileName ?? "image.png",
                contentType: type?.rawValue ?? image.contentType ?? "application/octet-stream"
            )
        }
        segments.append(.bytes(encoder.closing))
        return segments
    }

    /// A type that says something, or nil.
    private static func known(_ contentType: String?) -> String? {
        guard let contentType, let type = MediaType(contentType), type.essence != "application/octet-stream" else {
            return nil
        }
        return contentType
    }

    /// The last component of a path of either kind: a backslash in front of a quote is read in two ways.
    private static func baseName(_ fileName: String?) -> String? {
        fileName?.split { $0 == "/" || $0 == "\\" }.last.map(String.init)
    }
}
