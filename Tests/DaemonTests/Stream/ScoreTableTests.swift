import Testing

@testable import Daemon

@Suite struct ScoreTableTests {
    private func lines(_ json: String, isColoured: Bool = false) throws -> [String] {
        let frame = try #require(StreamFrame.decode(Array(#"{"event":"result","result":\#(json)}"#.utf8)))
        return ScoreTable(result: try #require(frame.result), isColoured: isColoured).lines
    }

    @Test func wordsHaveALineEach() throws {
        let lines = try self.lines(
            """
            {"overall":88.9,"pronunciation":100,"fluency":96,"integrity":100,"words":[
              {"word":"今","symbolpinyin":"jīn","scores":{"overall":93.6,"tone":88},"span":{"start":31,"end":105},
               "phonemes":[{"phoneme":"j"},{"phoneme":"in"}]},
              {"word":"天","symbolpinyin":"tiān","scores":{"overall":40}}]}
            """
        )
        #expect(
            lines == [
                "   word  pinyin  score  tone                        seconds      sounds",
                "   今    jīn        94    88  ███████████████████·  0.31–1.05    j in",
                "   天    tiān       40     –  ████████············  –            ",
                "",
                "   overall 89   pronunciation 100   fluency 96   integrity 100",
            ]
        )
    }

    @Test func barsAreColouredForATerminal() throws {
        let lines = try self.lines(#"{"words":[{"word":"a","scores":{"overall":65}}]}"#, isColoured: true)
        #expect(lines[1].contains("\u{1B}[33m█████████████·······\u{1B}[0m"))
        #expect(!lines[0].contains("pinyin"))
    }

    @Test func resultsWithoutWordsHaveTheirTotals() throws {
        #expect(
            try self.lines(#"{"connected_overall":71,"words":[]}"#)
                == ["   overall 71   pronunciation –   fluency –   integrity –"]
        )
    }
}
