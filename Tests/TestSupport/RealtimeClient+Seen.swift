extension RealtimeClient {
    /// What a session saw.
    public struct Seen: Decodable, Sendable {
        /// The status of the handshake; nil when there was none.
        public let status: Int?
        /// The body of a handshake that was refused.
        public let body: String?
        /// The frames that came, in order.
        public let frames: [Frame]
        /// The code of the close frame; 1006 when there was none.
        public let closeCode: Int?
        /// The reason in the close frame.
        public let closeReason: String?
        /// The digest of the audio that was sent, of all rounds together.
        public let audioSha256: String
        /// The bytes of audio that were sent.
        public let audioBytes: Int
        /// How long it took.
        public let seconds: Double
        /// What went wrong in the client, such as a frame that did not come in time.
        public let failure: String?

        /// The frames of a kind.
        public func frames(_ kind: String) -> [Frame] { self.frames.filter { $0.kind == kind } }
        /// The result frames.
        public var results: [Frame] { self.frames("result") }
        /// The error frames.
        public var errors: [Frame] { self.frames("error") }
        /// The progress frames.
        public var progress: [Frame] { self.frames("progress") }
        /// What came, in order.
        public var kinds: [String] { self.frames.map(\.kind) }
    }

    /// A frame from the server.
    public struct Frame: Decodable, Sendable {
        /// An element of `result.progress`.
        public struct Unit: Decodable, Hashable, Sendable {
            /// The text.
            public let word: String
            /// Whether the reading position has passed it.
            public let read: Bool
            /// Whether recognition agrees with it.
            public let matched: Bool
        }
        /// An element of `result.words`.
        public struct Word: Decodable, Sendable {
            /// The text.
            public let word: String
        }
        /// The part of `result` that tests look at.
        public struct Result: Decodable, Sendable {
            /// The total.
            public let overall: Double?
            /// The audio that the server has received.
            public let bytes: Int?
            /// How far the text has been read.
            public let progress: [Unit]?
            /// Scored words, or those newly read.
            public let words: [Word]?
        }
        /// The member `event`.
        public let event: String?
        /// The member `coreType`.
        public let coreType: String?
        /// The member `code`.
        public let code: Int?
        /// The member `message`.
        public let message: String?
        /// The member `recordId`.
        public let recordId: String?
        /// The member `eof`.
        public let eof: Int?
        /// The member `replayed`.
        public let replayed: Bool?
        /// The member `idempotencyKey`.
        public let idempotencyKey: String?
        /// The member `result`.
        public let result: Result?

        /// What it is, as a client of the platform tells (contract yugu, sections 10.1 to 10.4).
        public var kind: String {
            if let event, ["connected", "started", "pong", "error", "result"].contains(event) { return event }
            return self.eof == 1 ? "result" : self.eof == nil ? "unknown" : "progress"
        }
        /// How many units are read; -1 when the frame does not tell.
        public var readUnits: Int { self.result?.progress?.count { $0.read } ?? -1 }
        /// How many units are matched; -1 when the frame does not tell.
        public var matchedUnits: Int { self.result?.progress?.count { $0.matched } ?? -1 }
    }
}
