/// Why an account cannot carry a call: told by an answer that also proves that the call was not executed.
///
/// A provider reads it from its platform's codes; only these let another account try (see ``AccountChoice``).
public enum AccountFault: String, Hashable, Sendable, CaseIterable {
    /// The platform refuses the account's credentials, for instance a key that is switched off.
    case credentials
    /// The account is disabled or frozen, until the platform's operator says otherwise.
    case disabled
    /// The quota or balance of the account or its key is used up, until more is bought.
    case exhausted
    /// The account's calls of this day are used up.
    case exhaustedToday
}
