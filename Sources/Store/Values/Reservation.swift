/// One call, with its audio, that is reserved of a quota's day.
public struct Reservation: Hashable, Sendable {
    /// Whose quota it is, in the words of whoever counts.
    public let owner: String
    /// The number of the day.
    public let day: Int
    /// The audio.
    public let audioMilliseconds: Int64

    /// Takes the parts.
    public init(owner: String, day: Int, audioMilliseconds: Int64) {
        self.owner = owner
        self.day = day
        self.audioMilliseconds = audioMilliseconds
    }
}

/// What a quota's day has used, reservations among it.
public struct DayTotal: Equatable, Sendable {
    /// The number of the day.
    public let day: Int
    /// Calls.
    public let calls: Int
    /// Their audio.
    public let audioMilliseconds: Int64
}
