public import Cryptography
public import HTTPWire
public import SpeechAudio

/// A complete form: what each part is called, what it digests to and where its bytes lie.
public struct ReceivedForm: Sendable {
    /// One part of a form.
    public struct Part: Sendable {
        /// The part's name.
        public let name: String
        /// The file name that the client gave, or nil.
        public let fileName: String?
        /// The media type that the client gave, or nil.
        public let contentType: String?
        /// The number of content bytes.
        public let count: Int
        /// What the exact content digests to under the store's key.
        public let tag: KeyedDigest.Tag
        /// The content of a text part; empty for a file part.
        public let text: [UInt8]
        let range: Range<Int>?
        /// What the precheck says of a recording; nil for any other part, and where nothing is checked.
        public internal(set) var verdict: AudioPrecheck.Verdict?

        /// Whether the part holds a file, which is never signed.
        var isFile: Bool { self.range != nil }
    }

    /// The parts in the order in which they came; no two have one name.
    public let parts: [Part]
    /// Holds the contents of the file parts.
    private let buffer: BodyBuffer?

    init(parts: [Part], buffer: BodyBuffer? = nil) {
        self.parts = parts
        self.buffer = buffer
    }

    /// The part with this name, or nil.
    public func part(named name: String) -> Part? {
        self.parts.first { $0.name == name }
    }

    /// The content of a part, to be sent on without a copy.
    public func content(of part: Part) -> HTTPBodySegment {
        guard let range = part.range, let buffer = self.buffer else { return .bytes(part.text) }
        return buffer.segment(range)
    }

    /// The first bytes of a part, at most 16, for telling media types apart.
    public func prefix(of part: Part) -> [UInt8] {
        self.withOpening(of: part) { Array($0.prefix(16)) }
    }

    /// Lends the beginning of a part.
    func withOpening<Result>(of part: Part, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard let range = part.range, let buffer = self.buffer else { return part.text.withUnsafeBytes(body) }
        return buffer.withOpening(of: range, body)
    }
}
