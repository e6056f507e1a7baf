extension RealtimeSession {
    /// Why a connection to the platform is of no more use.
    public enum Loss: Sendable {
        /// It could not be made, or it broke.
        case transport(String)
        /// Its certificate or its TLS handshake was refused.
        case tls(String)
        /// The platform would not upgrade it.
        ///
        /// `isFinal` for a refusal of who or what we are; else it may do so later.
        case refused(PlatformRefusal, isFinal: Bool)
        /// We have no account that could carry it.
        ///
        /// `isFinal` before there was any connection: the client had better come back later.
        case noAccount(GatewayError, isFinal: Bool)
        /// The platform closed it; nil for a close without a code.
        case closed(code: UInt16?, reason: String)
        /// The platform did not accept the parameters in time.
        case connectTimeout
        /// A ping went without its answer.
        case pongMissing
        /// No result came in time.
        case resultTimeout
        /// The platform sent an error frame.
        case refusal(PlatformRefusal)
        /// The platform sent what is no frame of its protocol at this point.
        case unexpected(String)
        /// We need a connection of another account, or under another key.
        case replaced(String)

        /// Whether another connection may do better (contract yugu, sections 10.7 and 10.8).
        var isRetryable: Bool {
            switch self {
            case .transport, .connectTimeout, .pongMissing, .resultTimeout, .replaced: true
            case .tls, .unexpected: false
            case .refused(_, let isFinal): !isFinal
            case .noAccount(_, let isFinal): !isFinal
            case .closed(let code, _): code.map(Self.isRetryable(closeCode:)) ?? true
            case .refusal(let refusal): refusal.isRetryable
            }
        }

        /// 1000 before a result is a final word, and so is all that says that we are wrong.
        private static func isRetryable(closeCode: UInt16) -> Bool {
            switch closeCode {
            case 1000, 1002, 1003, 1007...1010, 4000...4999: false
            default: true
            }
        }

        /// Whether a round whose end frame the platform has may have been evaluated all the same.
        ///
        /// A code other than 40901 says that it was not (design, section 4, step 8).
        var leavesDoubt: Bool {
            guard case .refusal(let refusal) = self, let code = refusal.code else { return true }
            return code.kind == .inProgress
        }
    }

    /// What the platform said no with.
    public struct PlatformRefusal: Sendable {
        /// Its code; nil for a no without one.
        public let code: PlatformCode?
        /// The status of a refused handshake; nil for an error frame.
        public let status: Int?
        /// The frame or body as it came.
        public let content: [UInt8]

        /// Takes the parts.
        public init(code: PlatformCode?, status: Int? = nil, content: [UInt8]) {
            self.code = code
            self.status = status
            self.content = content
        }

        /// A no without a code is final (contract yugu, section 10.4).
        var isRetryable: Bool {
            switch self.code?.kind {
            case .retryable, .inProgress: true
            case .final, .credentials, .credentialsOrClock, nil: false
            }
        }
    }

    /// How a round ends without a result.
    public struct Failure: Sendable {
        /// What the end is called.
        public enum Reason: Hashable, Sendable {
            /// By what happened to the last connection.
            case loss
            /// Another connection would need audio that is no longer there; without a loss, the first one would.
            case bufferOverflow
            /// Audio has to be kept, and there is no room for it.
            case noRoom
            /// The attempts are used up.
            case reconnectsExhausted
            /// No connection brought a result in the time of all.
            case resultTimeout
        }

        /// What the end is called.
        public let reason: Reason
        /// What happened to the last connection; nil when nothing did.
        public let loss: Loss?
        /// Whether the platform may have evaluated the round.
        public let mayBeExecuted: Bool
    }
}
