extension SimulatedPlatform {
    /// A customer's key pair, with what the platform thinks of its owner.
    public struct Account: Hashable, Sendable {
        /// Whether calls are let in.
        public enum Standing: String, Sendable, CaseIterable {
            /// Calls are let in.
            case active
            /// 401 with 2007.
            case keyExpired
            /// 401 with 2011.
            case keyDisabled
            /// 400 with 1004.
            case userDisabled
            /// 400 with 1005.
            case userLocked
            /// 400 with 1012.
            case disabled
            /// 400 with 1013.
            case frozen
            /// 400 with 1310 for what costs something; replays and reports are let in.
            case noBalance
            /// 409 with 40902 for what costs something; replays and reports are let in.
            case noQuota
        }

        /// The public half, sent in `X-App-Key`.
        public var appKey: String
        /// The secret half, which signatures are made with.
        public var secretKey: String
        /// A bearer token that stands for the account.
        ///
        /// The default is none.
        public var bearerToken: String?
        /// Whose key it is: the keys of one customer share ``concurrentCalls`` and ``dailyReports``.
        ///
        /// The default is nil, a customer of its own.
        public var customer: String?
        /// Whether calls are let in.
        ///
        /// The default is ``Standing/active``.
        public var standing = Standing.active
        /// The most evaluations in a day; beyond it 42903.
        ///
        /// The default is nil, the configuration's.
        public var dailyCalls: Int?
        /// The most evaluations of its customer with a report in a day; beyond it 42902.
        ///
        /// The default is nil, the configuration's.
        public var dailyReports: Int?
        /// The most evaluations at all; beyond it 2012.
        ///
        /// The default is nil, the configuration's.
        public var totalCalls: Int?
        /// The most evaluations of its customer at one time; beyond it 42901.
        ///
        /// The default is nil, the configuration's.
        public var concurrentCalls: Int?

        /// Takes a key pair.
        public init(appKey: String, secretKey: String) {
            self.appKey = appKey
            self.secretKey = secretKey
        }
    }
}

extension SimulatedPlatform.Account {
    /// The code for what is wrong with the key itself, looked at before the signature.
    var keyProblem: Int? {
        switch self.standing {
        case .keyExpired: 2007
        case .keyDisabled: 2011
        default: nil
        }
    }

    /// The code for what is wrong with the owner, looked at behind the signature.
    var ownerProblem: Int? {
        switch self.standing {
        case .userDisabled: 1004
        case .userLocked: 1005
        case .disabled: 1012
        case .frozen: 1013
        default: nil
        }
    }

    /// The code for why nothing can be paid.
    var paymentProblem: Int? {
        switch self.standing {
        case .noBalance: 1310
        case .noQuota: 40_902
        default: nil
        }
    }
}
