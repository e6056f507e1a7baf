/// How far the reading has come, as a progress frame tells it (contract yugu, section 10.3).
public struct ReadingProgress: Hashable, Sendable {
    /// Units that the reading position has passed.
    public var readUnits: Int
    /// Units whose recognition agrees with the text.
    public var matchedUnits: Int
    /// Entries of `result.words`: they stand for the last units read; zero without that list.
    public var newWords: Int

    /// Takes the counts.
    public init(readUnits: Int, matchedUnits: Int, newWords: Int = 0) {
        self.readUnits = readUnits
        self.matchedUnits = matchedUnits
        self.newWords = newWords
    }
}

/// Keeps progress from going back when a new connection counts from zero again.
struct ProgressFilter: Sendable {
    /// What becomes of a progress frame.
    enum Verdict: Equatable, Sendable {
        /// It goes to the client, without the first so many entries of its `words`, which the client has.
        case forward(droppingWords: Int)
        case suppress
    }

    private var delivered: ReadingProgress?

    /// Judges a frame.
    ///
    /// - Parameter progress: Nil for a frame that tells only of bytes.
    mutating func judge(_ progress: ReadingProgress?) -> Verdict {
        guard let progress else { return .forward(droppingWords: 0) }
        guard let before = self.delivered else {
            self.delivered = progress
            return .forward(droppingWords: 0)
        }
        guard progress.readUnits >= before.readUnits, progress.matchedUnits >= before.matchedUnits else {
            return .suppress
        }
        self.delivered = progress
        // They stand for the units up to `readUnits`.
        let firstWord = progress.readUnits - progress.newWords
        return .forward(droppingWords: min(max(0, before.readUnits - firstWord), progress.newWords))
    }

    /// Forgets: progress may go back.
    mutating func reset() {
        self.delivered = nil
    }
}
