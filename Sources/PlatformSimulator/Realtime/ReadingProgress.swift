import SpeechAudio

/// How far a text has been read aloud, as the platform's tracker tells it while audio arrives (contract yugu, section
/// 10.3).
///
/// Nothing is recognised: the position moves with the stretches of speech at a usual pace, one second behind, and some
/// units are never matched, always the same ones of a text.
struct ReadingProgress: Sendable {
    /// The units of the text in order.
    let units: [TextUnit]
    /// How many units the position has passed.
    private(set) var readCount = 0
    /// Which units agree with what was heard; none behind ``readCount``.
    private(set) var matched: [Bool]

    private let random: UInt64
    private var seenWindows = 0
    private var spokenWindows = 0

    /// How far behind the speech the position is, in windows of 10 ms.
    private static let lag = 100

    /// At the start of a text; nil where no unit is to be followed.
    init?(_ text: String) {
        let units = TextUnits(text).units
        guard !units.isEmpty else { return nil }
        self.units = units
        self.matched = [Bool](repeating: false, count: units.count)
        var random = DeterministicRandom(texts: [text], seed: 10_3)
        self.random = random.next()
    }

    /// How many units agree with what was heard.
    var matchedCount: Int { self.matched.count { $0 } }

    /// Looks at what has come; true when something has changed.
    mutating func follow(_ meter: PCMMeter) -> Bool {
        self.move(to: meter.windowCount - Self.lag, meter) && self.advance(isEnd: false)
    }

    /// Catches up with the speech when the audio has ended; true when something has changed.
    mutating func end(_ meter: PCMMeter) -> Bool {
        _ = self.move(to: meter.windowCount, meter)
        return self.advance(isEnd: true)
    }

    /// Goes on to a window; true when there was speech on the way.
    private mutating func move(to position: Int, _ meter: PCMMeter) -> Bool {
        let before = self.spokenWindows
        while self.seenWindows < position {
            let level = meter.rootMeanSquare(ofWindows: self.seenWindows..<self.seenWindows + 1)
            if level >= PCMLevel.silentRootMeanSquare { self.spokenWindows += 1 }
            self.seenWindows += 1
        }
        return self.spokenWindows > before
    }

    private mutating func advance(isEnd: Bool) -> Bool {
        let before = (self.readCount, self.matchedCount)
        var needed = self.units[..<self.readCount].reduce(0) { $0 + Self.windows(of: $1) }
        while self.readCount < self.units.count {
            needed += Self.windows(of: self.units[self.readCount])
            // Who has come to the end has read faster than the usual pace.
            guard needed <= self.spokenWindows * (isEnd ? 3 : 1) else { break }
            self.readCount += 1
        }
        for index in 0..<self.readCount {
            switch self.chance(index) {
            case 0: break
            // Recognised one unit later, once it is clear what followed.
            case 1: self.matched[index] = self.matched[index] || index + 1 < self.readCount || isEnd
            default: self.matched[index] = true
            }
        }
        return before != (self.readCount, self.matchedCount)
    }

    /// How long it takes to say a unit, in windows.
    private static func windows(of unit: TextUnit) -> Int {
        unit.isChinese ? 25 : 10 + 5 * min(12, unit.text.utf8.count)
    }

    private func chance(_ index: Int) -> UInt64 {
        DeterministicRandom.mix(self.random &+ UInt64(index)) % 8
    }
}
