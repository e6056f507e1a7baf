internal import GatewayCore

extension ErrorTable {
    /// The fault of our account that a code tells of; nil when another account may not try.
    ///
    /// Each of these is said before a call is executed (contract yugu, section 9.3). Not among them, although they are
    /// refusals: 40300, which is also the request's fault; 1004 and 1005, whose user may be one that the request names;
    /// 42902, which is about reports, and those are the account's own; and all that asks for another attempt.
    static func accountFault(of code: Int) -> AccountFault? {
        switch code {
        case 40100, 2001...2011: .credentials
        case 1012, 1013: .disabled
        case 40902, 1310, 2012: .exhausted
        case 42903: .exhaustedToday
        default: nil
        }
    }
}
