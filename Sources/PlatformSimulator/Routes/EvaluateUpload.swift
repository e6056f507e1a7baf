import Cryptography
import HTTPWire
import SpeechAudio

/// Reads the parts of a whole-file evaluation as they arrive: texts are kept, files are hashed and measured.
///
/// What is wrong with the content is noted and not thrown: the platform reads a request to its end, and faults act
/// before the content is understood.
///
/// `@unchecked Sendable`: confined to the loop of the connection that the content comes from.
final class EvaluateUpload: HTTPBodyConsumer, @unchecked Sendable {
    /// Which parts have a meaning of their own.
    enum Form {
        /// `config`, `audio` and `image`; the others are texts.
        case native
        /// `audio`; the others are texts.
        case compat
    }

    /// A text part.
    struct Text {
        var name: String
        var bytes: [UInt8]
        /// The bytes as UTF-8.
        var string: String { String(decoding: self.bytes, as: UTF8.self) }
    }

    /// What the `image` part holds.
    struct Image {
        var contentType: String?
        var byteCount = 0
        var digest: Digest256?
        /// The first bytes, by which its kind is known.
        var start: [UInt8] = []
    }

    private enum Current {
        case none
        case config
        case text
        case audio
        case image
        case ignored
    }

    private static let textLimit = 1 << 20

    private let form: Form
    private var parser: MultipartParser
    private var current = Current.none
    private var hash = SHA256()
    private var wav = WAVParser()
    private var meter: PCMMeter?
    private var audioBytes = 0

    /// How many bytes have come.
    private(set) var byteCount = 0
    /// What is wrong with the multipart content, in words.
    private(set) var problem: String?
    /// The head of the `config` part.
    private(set) var configHead: MultipartPartHead?
    /// The content of the `config` part.
    private(set) var config: [UInt8] = []
    /// The parts without a filename, apart from `config`.
    private(set) var texts: [Text] = []
    /// What the `audio` part holds; nil when there is none.
    private(set) var audio: AudioFacts?
    /// What the name of the `audio` part's file ends with, without the point; empty without.
    private(set) var audioExtension = ""
    /// What the `image` part holds; nil when there is none.
    private(set) var image: Image?

    init(boundary: String, form: Form) {
        self.form = form
        self.parser = MultipartParser(boundary: boundary)
    }

    func consume(_ bytes: UnsafeRawBufferPointer) throws {
        self.byteCount += bytes.count
        guard self.problem == nil else { return }
        do {
            try self.parser.parse(bytes) { try self.handle($0) }
        } catch let error as MultipartError {
            self.problem = error.message
        }
    }

    /// The content has ended.
    func finish() {
        guard self.problem == nil else { return }
        do throws(MultipartError) {
            try self.parser.finish()
        } catch {
            self.problem = error.message
        }
    }

    private func handle(_ event: MultipartEvent) throws(MultipartError) {
        switch event {
        case .partBegan(let head):
            self.begin(head)
        case .partBytes(let bytes):
            self.take(bytes)
        case .partEnded:
            self.end()
        }
    }

    /// A repeated part is tolerated: the first one counts.
    private func begin(_ head: MultipartPartHead) {
        switch head.name {
        case "config" where self.form == .native:
            self.current = self.configHead == nil ? .config : .ignored
            self.configHead = self.configHead ?? head
        case "audio" where self.audio == nil && head.filename != nil:
            self.current = .audio
            self.audioExtension = Self.fileExtension(head.filename ?? "")
        case "image" where self.form == .native && self.image == nil && head.filename != nil:
            self.current = .image
            self.image = Image(contentType: head.contentType)
        default:
            self.current = head.filename == nil ? .text : .ignored
            if self.current == .text {
                self.texts.append(Text(name: head.name, bytes: []))
            }
        }
    }

    private static func fileExtension(_ name: String) -> String {
        let ending = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last ?? ""
        let isPlain = ending.utf8.count <= 8 && ending.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return isPlain ? ending.lowercased() : ""
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        switch self.current {
        case .config:
            self.keep(bytes, in: &self.config)
        case .text:
            self.keep(bytes, in: &self.texts[self.texts.count - 1].bytes)
        case .audio:
            self.audioBytes += bytes.count
            self.hash.update(bytes)
            self.wav.parse(bytes) { samples, format in
                if self.meter == nil {
                    self.meter = PCMMeter(sampleRate: format.sampleRate, channels: format.channels)
                }
                self.meter?.measure(samples)
            }
        case .image:
            self.hash.update(bytes)
            self.image?.byteCount += bytes.count
            let missing = 8 - (self.image?.start.count ?? 8)
            self.image?.start.append(contentsOf: bytes.prefix(missing))
        case .ignored, .none:
            break
        }
    }

    private func keep(_ bytes: UnsafeRawBufferPointer, in text: inout [UInt8]) {
        guard text.count + bytes.count <= Self.textLimit else {
            self.problem = "A text part is larger than 1 MiB."
            return
        }
        text.append(contentsOf: bytes)
    }

    private func end() {
        switch self.current {
        case .audio:
            self.audio = AudioFacts(
                byteCount: self.audioBytes,
                digest: self.hash.finalize(),
                parser: self.wav,
                meter: self.meter
            )
            self.meter = nil
        case .image:
            self.image?.digest = self.hash.finalize()
        case .config, .text, .ignored, .none:
            break
        }
        self.current = .none
    }
}
