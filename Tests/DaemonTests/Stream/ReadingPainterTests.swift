import Testing

@testable import Daemon

@Suite struct ReadingPainterTests {
    /// A text of units: `+` recognised, `-` read, nothing for not yet.
    private func units(_ words: String...) -> [StreamFrame.Unit] {
        words.map { word in
            let text = word.filter { $0 != "+" && $0 != "-" }
            return StreamFrame.Unit(word: text, read: text != word, matched: word.hasSuffix("+"))
        }
    }

    @Test func everyChangeIsALineWhereThereIsNoTerminal() {
        var painter = ReadingPainter(columns: nil)
        #expect(
            painter.paint(self.units("The+", "early-", "bird"), seconds: 1.24)
                == "1.2 s  read 2 of 3, recognised 1:  The (early) .\n"
        )
        #expect(painter.paint(self.units("The+", "early-", "bird"), seconds: 1.7) == nil)
        #expect(
            painter.paint(self.units("The+", "early-", "bird+"), seconds: 1.96)
                == "2.0 s  read 3 of 3, recognised 2:  The (early) bird\n"
        )
        #expect(painter.finish() == "")
    }

    @Test func aTerminalsLineIsPaintedOver() {
        var painter = ReadingPainter(columns: 80)
        #expect(
            painter.paint(self.units("今+", "天-", "好"), seconds: 0.5)
                == "\r\u{1B}[K   \u{1B}[32m今\u{1B}[0m\u{1B}[33m天\u{1B}[0m\u{1B}[2m好\u{1B}[0m\u{1B}[2m  0.5 s\u{1B}[0m"
        )
        #expect(painter.finish() == "\n")
        #expect(painter.finish() == "")
    }

    @Test(arguments: [20, 40, 79, 80, 200])
    func aLongTextStaysOnOneLineAroundTheReadingPosition(columns: Int) throws {
        for position in [0, 1, 50, 98, 99] {
            var painter = ReadingPainter(columns: columns)
            let words = (0..<100).map {
                StreamFrame.Unit(word: "w\($0)", read: $0 <= position, matched: $0 < position)
            }
            let painted = painter.paint(words, seconds: 12.3)
            let line = try #require(painted)
            let visible = line.replacing(#/\u{1B}\[\d*[mK]/#, with: "").drop { $0 == "\r" }
            #expect(TextWidth.of(String(visible)) < columns, "\(visible)")
            #expect(visible.contains("w\(position) "), "\(visible)")
        }
    }
}
