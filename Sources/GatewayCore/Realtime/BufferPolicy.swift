/// What becomes of a round's audio when the platform's connection breaks (contract yugu, section 10.9).
public enum BufferPolicy: String, Hashable, Sendable, CaseIterable {
    /// All audio is kept and sent again: what is evaluated is what was spoken.
    case replay
    /// Nothing is kept; audio that comes while there is no connection is lost.
    case drop
    /// There is no second connection.
    case fail
}
