/// Calls and audio of one day: what was used, what one call reserves, or a change of either.
///
/// Days are numbered from 1970-01-01, in the time of the quota that counts them.
struct DayUsage: Hashable, Sendable {
    /// The number of the day.
    let day: Int
    /// Calls.
    var calls: Int
    /// Their audio.
    var audioMilliseconds: Int64

    static prefix func - (usage: DayUsage) -> DayUsage {
        DayUsage(day: usage.day, calls: -usage.calls, audioMilliseconds: -usage.audioMilliseconds)
    }
}
