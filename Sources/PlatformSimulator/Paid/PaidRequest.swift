import Cryptography

/// A request that passed all checks, and whose outcome costs something.
struct PaidRequest: Sendable {
    /// What is to be done.
    enum Task: Sendable {
        case evaluation(EvaluationRecipe)
        case speech(SpeechOrder, AudioURLForm?)
    }

    var caller: Caller
    /// The digest of what makes two requests the same (contract yugu, section 7.2).
    var fingerprint: Digest256
    var task: Task
    /// The resets before it.
    var epoch: Int
}

/// What was done and paid for, small enough to be kept for a day.
enum PaidProduct: Sendable {
    case evaluation(EvaluationRecipe)
    case speech(MadeSpeech)
}
