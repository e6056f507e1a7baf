public import Cryptography
internal import Store

extension PaidCalls {
    /// A request for a paid call, complete and checked.
    public struct Request: Sendable {
        /// How a call reaches its platform.
        enum Work: Sendable {
            case exchange(any PaidExchange)
            case round(any PaidRound, RoundOperation)
        }

        /// What to call.
        let work: Work
        /// Whose call it is.
        public let scope: CallScope
        /// The token whose calls are counted, or nil.
        let token: TokenUse?
        /// What makes it the same call.
        public let fingerprint: Digest256
        /// The accounts at its platform.
        public let accounts: AccountPool
        /// The id of the request in the log.
        public let requestID: String
        /// What the precheck has against the content; said only if a call of its own would be sent.
        public var refusal: GatewayError?
        /// Takes what is learned about the request.
        public var trace: RequestTrace?

        /// Takes the parts.
        ///
        /// - Parameters:
        ///   - principal: Who asks.
        ///   - key: What the caller calls it.
        ///   - form: The whole content, which the fingerprint is made of.
        ///   - path: The path that was asked for.
        public init(
            operation: any PaidExchange,
            principal: Principal,
            key: IdempotencyKey,
            form: ReceivedForm,
            path: String,
            accounts: AccountPool,
            requestID: String
        ) {
            self.init(
                .exchange(operation),
                scope: CallScope(client: principal.client, user: principal.user, key: key),
                token: principal.tokenUse,
                fingerprint: Fingerprint.make(operation: operation.name, path: path, form: form),
                accounts: accounts,
                requestID: requestID
            )
        }

        /// Takes the parts.
        ///
        /// - Parameters:
        ///   - principal: Who asks.
        ///   - key: What the caller calls it.
        ///   - body: The exact content, which the fingerprint is made of.
        ///   - path: The path that was asked for.
        public init(
            operation: any PaidExchange,
            principal: Principal,
            key: IdempotencyKey,
            body: ReceivedJSON,
            path: String,
            accounts: AccountPool,
            requestID: String
        ) {
            self.init(
                .exchange(operation),
                scope: CallScope(client: principal.client, user: principal.user, key: key),
                token: principal.tokenUse,
                fingerprint: Fingerprint.make(operation: operation.name, path: path, body: body),
                accounts: accounts,
                requestID: requestID
            )
        }

        /// Takes the parts.
        init(
            _ work: Work,
            scope: CallScope,
            token: TokenUse?,
            fingerprint: Digest256,
            accounts: AccountPool,
            requestID: String
        ) {
            self.work = work
            self.scope = scope
            self.token = token
            self.fingerprint = fingerprint
            self.accounts = accounts
            self.requestID = requestID
        }

        /// What the call is, however it reaches its platform.
        public var operation: any PaidOperation {
            switch self.work {
            case .exchange(let exchange): exchange
            case .round(_, let operation): operation
            }
        }
    }
}
