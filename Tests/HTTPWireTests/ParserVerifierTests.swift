import TestSupport
import Testing

/// The verifier finds the faults that it is made to find.
@Suite struct ParserVerifierTests {
    private static let input = Array("a\r\nbc\r\n\r\nd".utf8)

    @Test func aParserThatJoinsItsPiecesPasses() {
        let differences = ParserVerifier.differences(of: Self.input, expected: Self.input) { feed in
            var seen: [UInt8] = []
            try? feed { seen += $0 }
            return seen
        }
        #expect(differences.isEmpty, "\(differences)")
    }

    @Test func aParserThatLooksForALineEndInsideOnePieceIsFoundOut() {
        let differences = ParserVerifier.differences(of: Self.input, expected: 3) { feed in
            var lines = 0
            try? feed { piece in
                for index in piece.indices.dropFirst() where piece[index - 1] == 0x0D && piece[index] == 0x0A {
                    lines += 1
                }
            }
            return lines
        }
        #expect(differences.contains { $0.cutting == "byte by byte" })
        #expect(differences.allSatisfy { $0.cutting != "whole" })
    }

    @Test func aParserThatStumblesOverEmptyPiecesIsFoundOut() {
        let differences = ParserVerifier.differences(of: Self.input, expected: false) { feed in
            var sawEmpty = false
            try? feed { sawEmpty = sawEmpty || $0.isEmpty }
            return sawEmpty
        }
        #expect(differences.map(\.cutting) == ["byte by byte with empty pieces"])
    }

    @Test func everySplitIsTried() {
        var firstPieces: Set<Int> = []
        _ = ParserVerifier.differences(of: Self.input, expected: 0) { feed in
            var counts: [Int] = []
            try? feed { counts.append($0.count) }
            if counts.count == 2 { firstPieces.insert(counts[0]) }
            return 0
        }
        #expect(firstPieces == Set(1..<Self.input.count))
    }
}
