/// Shows how far a text has been read: on a terminal as one line that is painted over, elsewhere as a line for each change.
struct ReadingPainter: Sendable {
    private static let green = "\u{1B}[32m"
    private static let yellow = "\u{1B}[33m"
    private static let faint = "\u{1B}[2m"
    private static let plain = "\u{1B}[0m"
    private static let margin = "   "

    /// The columns of the terminal; nil for anything else.
    let columns: Int?
    private var shown: [StreamFrame.Unit]?

    init(columns: Int?) {
        self.columns = columns
    }

    /// What to write now; nil when nothing has changed.
    mutating func paint(_ units: [StreamFrame.Unit], seconds: Double) -> String? {
        guard units != self.shown else { return nil }
        self.shown = units
        guard let columns = self.columns else { return Self.line(units, seconds: seconds) + "\n" }
        let time = "  \(Self.tenths(seconds)) s"
        let room = columns - Self.margin.count - time.count - 1
        return "\r\u{1B}[K" + Self.margin + Self.coloured(units, room: room) + Self.faint + time + Self.plain
    }

    /// What ends the painting.
    mutating func finish() -> String {
        defer { self.shown = nil }
        return self.columns != nil && self.shown != nil ? "\n" : ""
    }

    private static func line(_ units: [StreamFrame.Unit], seconds: Double) -> String {
        let read = units.count { $0.read }
        let matched = units.count { $0.matched }
        let marked = units.map { $0.matched ? $0.word : $0.read ? "(\($0.word))" : "." }.joined(separator: " ")
        return "\(tenths(seconds)) s  read \(read) of \(units.count), recognised \(matched):  \(marked)"
    }

    /// The units that there is room for, those around the reading position first.
    private static func coloured(_ units: [StreamFrame.Unit], room: Int) -> String {
        let position = units.lastIndex { $0.read } ?? 0
        let widths = units.map { TextWidth.of($0.word) + (self.needsBlank($0.word) ? 1 : 0) }
        var window = position..<position
        var used = 2
        while window.count < units.count {
            // Two thirds of the window lie behind the reading position, where there is something to see.
            let isLeftNext = window.lowerBound > 0 && (window.upperBound == units.count || window.count % 3 != 0)
            let next = isLeftNext ? window.lowerBound - 1 : window.upperBound
            guard used + widths[next] <= room else { break }
            used += widths[next]
            window = min(window.lowerBound, next)..<max(window.upperBound, next + 1)
        }
        var text = window.lowerBound > 0 ? "…" : ""
        for unit in units[window] {
            text += (unit.matched ? self.green : unit.read ? self.yellow : self.faint) + unit.word + self.plain
            if self.needsBlank(unit.word) { text += " " }
        }
        return text + (window.upperBound < units.count ? "…" : "")
    }

    /// Words of scripts that write blanks between them.
    private static func needsBlank(_ word: String) -> Bool {
        word.unicodeScalars.first.map { $0.value < 0x2E80 } ?? false
    }

    private static func tenths(_ seconds: Double) -> String {
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
