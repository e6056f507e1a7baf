/// What a platform's complete answer means; the provider reads it, the gateway acts on it.
public enum PlatformAnswer: Sendable {
    /// The call was executed and this is its result.
    case answered(AnswerFacts)
    /// The platform said no, with a code of its table.
    case coded(PlatformCode)
    /// An answer without a code: the status is all there is.
    case codeless
    /// A success status with content that is no result.
    case malformed
}

/// What the store keeps of a result beside its bytes.
public struct AnswerFacts: Sendable {
    /// The platform's record id, or nil when the operation has none.
    public var recordID: String?
    /// The total score, or nil.
    public var overall: Double?
    /// How long the recording was, where only the platform can tell.
    public var audioMilliseconds: Int64?

    /// Takes the facts.
    public init(recordID: String? = nil, overall: Double? = nil, audioMilliseconds: Int64? = nil) {
        self.recordID = recordID
        self.overall = overall
        self.audioMilliseconds = audioMilliseconds
    }
}

/// A code of a platform's error table, as far as the gateway has to act on it.
public struct PlatformCode: Sendable {
    /// What a code asks of the gateway.
    public enum Kind: Sendable {
        /// Tell the client.
        case final
        /// Try again.
        case retryable
        /// The same key runs already; ask again until it is done.
        case inProgress
        /// Our credentials are refused.
        case credentials
        /// Our credentials are refused, perhaps because of a clock or a nonce; sign once more.
        case credentialsOrClock
    }

    /// What a code says, for logs.
    public struct Meaning: Sendable {
        /// The platform's name for it.
        public let name: String
        /// What kind of failure it is.
        public let category: ErrorCategory
        /// The same in words.
        public let text: String

        /// Takes the parts.
        public init(name: String, category: ErrorCategory, text: String) {
            self.name = name
            self.category = category
            self.text = text
        }
    }

    /// The number.
    public let value: Int
    /// What to do.
    public let kind: Kind
    /// The status that usually goes with it, for answers that carry a code with a success status.
    public let usualStatus: Int
    /// What it says about our account; nil when another account would be told the same.
    public let accountFault: AccountFault?
    /// What it says; nil for one that is not in the table.
    public let meaning: Meaning?

    /// Takes the parts.
    public init(
        value: Int,
        kind: Kind,
        usualStatus: Int,
        accountFault: AccountFault? = nil,
        meaning: Meaning? = nil
    ) {
        self.value = value
        self.kind = kind
        self.usualStatus = usualStatus
        self.accountFault = accountFault
        self.meaning = meaning
    }
}
