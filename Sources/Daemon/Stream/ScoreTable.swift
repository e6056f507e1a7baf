/// The scores of an evaluation as a table for people.
struct ScoreTable {
    let result: StreamFrame.Outcome
    let isColoured: Bool

    /// The lines.
    var lines: [String] {
        let words = self.result.words ?? []
        guard !words.isEmpty else { return [self.totals] }
        let isChinese = words.contains { $0.symbolpinyin != nil }
        let column = max(4, words.map { TextWidth.of($0.word) }.max() ?? 0) + 2
        func line(_ cells: [String], bar: String) -> String {
            var text = "   " + TextWidth.pad(cells[0], to: column)
            if isChinese { text += TextWidth.pad(cells[1], to: 8) }
            text += TextWidth.pad(cells[2], to: 5, right: true)
            if isChinese { text += TextWidth.pad(cells[3], to: 6, right: true) }
            return text + "  " + bar + "  " + TextWidth.pad(cells[4], to: 11) + "  " + cells[5]
        }
        let head = line(
            ["word", "pinyin", "score", "tone", "seconds", "sounds"],
            bar: String(repeating: " ", count: 20)
        )
        let rows = words.map { word in
            line(
                [
                    word.word, word.symbolpinyin ?? "–", Self.number(word.scores?.overall),
                    Self.number(word.scores?.tone), Self.time(word.span),
                    (word.phonemes ?? []).compactMap(\.phoneme).joined(separator: " "),
                ],
                bar: self.bar(word.scores?.overall ?? 0)
            )
        }
        return [head] + rows + ["", self.totals]
    }

    private var totals: String {
        let scores = [
            ("overall", self.result.overall ?? self.result.connected), ("pronunciation", self.result.pronunciation),
            ("fluency", self.result.fluency), ("integrity", self.result.integrity),
        ]
        return "   " + scores.map { "\($0.0) \(Self.number($0.1))" }.joined(separator: "   ")
    }

    /// Twenty cells: green from 80, yellow from 60, red below.
    private func bar(_ score: Double) -> String {
        let full = min(20, max(0, Int((score / 5).rounded())))
        let cells = String(repeating: "█", count: full) + String(repeating: "·", count: 20 - full)
        guard self.isColoured else { return cells }
        return "\u{1B}[\(score >= 80 ? 32 : score >= 60 ? 33 : 31)m\(cells)\u{1B}[0m"
    }

    private static func number(_ score: Double?) -> String {
        score.map { "\(Int($0.rounded()))" } ?? "–"
    }

    private static func time(_ span: StreamFrame.Word.Span?) -> String {
        span.map { "\(self.seconds($0.start))–\(self.seconds($0.end))" } ?? "–"
    }

    private static func seconds(_ hundredths: Int) -> String {
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
