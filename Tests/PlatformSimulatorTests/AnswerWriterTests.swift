import Foundation
import Testing

@testable import PlatformSimulator

@Suite struct AnswerWriterTests {
    private func text(_ write: (inout AnswerWriter) -> Void, scale: Int = 100, precision: Double? = nil) -> String {
        var writer = AnswerWriter(scale: scale, precision: precision)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(arguments: [
        (0.0, "0"), (1, "1"), (93.7, "93.7"), (0.05, "0.05"), (1.921, "1.921"), (-4.5, "-4.5"), (100, "100"),
        (0.0004, "0"), (-0.0001, "0"), (1_234_567.125, "1234567.125"),
    ])
    func numbersHaveNoSpareDigits(value: Double, expected: String) {
        #expect(self.text { $0.number(value) } == expected)
    }

    @Test func scoresFollowScaleAndPrecision() {
        #expect(self.text { $0.score(93.66) } == "93.7")
        #expect(self.text({ $0.score(93.7) }, scale: 10) == "9.4")
        #expect(self.text({ $0.score(93.7) }, precision: 1) == "94")
        #expect(self.text({ $0.score(93.7) }, precision: 0.5) == "93.5")
    }

    @Test(arguments: [(1.921, "1.921"), (2, "2.000"), (0.5, "0.500"), (0, "0.000"), (12.0004, "12.000")])
    func secondsHaveThreeDecimals(value: Double, expected: String) {
        #expect(self.text { $0.seconds(value) } == expected)
    }

    @Test func stringsSurviveAParser() throws {
        let original = "a\"b\\c\n\t\u{1}\u{1F}今天\u{1F600}/</script>"
        let json = self.text { $0.strings([original]) }
        let parsed = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String]
        #expect(parsed == [original])
    }
}
