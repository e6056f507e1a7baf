internal import FoundationEssentials

/// A text frame of the native realtime dialect, as its receiver reads it (contract yugu, section 10).
struct StreamFrame: Decodable, Sendable {
    /// A unit of the reference text.
    struct Unit: Decodable, Hashable, Sendable {
        let word: String
        /// The reading has passed it.
        let read: Bool
        /// Recognition agrees with it.
        let matched: Bool
    }

    /// What was recognised of one word.
    struct Word: Decodable, Sendable {
        struct Scores: Decodable, Sendable {
            let overall: Double?
            let tone: Double?
        }

        /// In hundredths of a second.
        struct Span: Decodable, Sendable {
            let start: Int
            let end: Int
        }

        struct Phoneme: Decodable, Sendable {
            let phoneme: String?
        }

        let word: String
        let symbolpinyin: String?
        let scores: Scores?
        let span: Span?
        let phonemes: [Phoneme]?
    }

    /// What is known about the reading: while it goes on, or in the end.
    struct Outcome: Decodable, Sendable {
        let progress: [Unit]?
        let words: [Word]?
        let overall: Double?
        let connected: Double?
        let pronunciation: Double?
        let fluency: Double?
        let integrity: Double?

        private enum CodingKeys: String, CodingKey {
            case progress, words, overall, pronunciation, fluency, integrity
            case connected = "connected_overall"
        }
    }

    let event: String?
    let eof: Int?
    let code: Int?
    let message: String?
    let recordId: String?
    let idempotencyKey: String?
    let replayed: Bool?
    let result: Outcome?

    /// Reads a frame; nil when it is none.
    static func decode(_ bytes: [UInt8]) -> StreamFrame? {
        try? JSONDecoder().decode(StreamFrame.self, from: Data(bytes))
    }
}
