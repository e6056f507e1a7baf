import Foundation
import TestSupport
import Testing

@testable import PlatformSimulator

@Suite struct SignedTextTests {
    private struct Vectors: Decodable {
        struct Case: Decodable {
            var name: String
            var secret: String
            var params: [String: String?]
            var payload: String
            var signature: String
        }

        var cases: [Case]
    }

    @Test(.enabled(if: SharedMaterial.isExpected)) func acceptsEveryPublishedVector() throws {
        let folder = try #require(SharedMaterial.folder)
        let data = try Data(contentsOf: folder.appending(path: "fixtures/sign-vectors.json"))
        let vectors = try JSONDecoder().decode(Vectors.self, from: data).cases
        #expect(vectors.count == 7)
        for vector in vectors {
            var text = SignedText()
            for (name, value) in vector.params { text.add(name, value ?? "") }
            #expect(text.text == vector.payload, "\(vector.name)")
            #expect(text.isSigned(by: vector.signature, secret: vector.secret), "\(vector.name)")
            #expect(!text.isSigned(by: vector.signature, secret: vector.secret + "x"), "\(vector.name)")
            text.add("zz", "1")
            #expect(!text.isSigned(by: vector.signature, secret: vector.secret), "\(vector.name)")
        }
    }

    @Test func namesAreOrderedByUTF16CodeUnits() {
        var text = SignedText()
        // U+1F600 begins with the code unit D83D and comes before U+FF01, against the order of scalars.
        text.add("\u{FF01}", "2")
        text.add("\u{1F600}", "1")
        text.add("b", "0")
        #expect(text.text == "b=0&\u{1F600}=1&\u{FF01}=2")
    }

    @Test func longNumbersKeepEveryDigit() {
        let digits = String(repeating: "9", count: 2_000)
        #expect(SignedText.plainDecimal(digits + ".0") == digits)
        #expect(SignedText.plainDecimal("0." + digits) == "0." + digits)
    }

    @Test func aRepeatedNameKeepsItsFirstValue() {
        var text = SignedText()
        text.add("a", "1")
        text.add("a", "2")
        #expect(text.text == "a=1")
    }

    @Test(arguments: [
        ("1", "1"), ("1.0", "1"), ("1e-7", "0.0000001"), ("-0.50", "-0.5"), ("1.5E3", "1500"), ("1.25e1", "12.5"),
        ("0", "0"), ("-0.0", "0"), ("100", "100"), ("12.340e+2", "1234"), ("0.2", "0.2"), ("1e2", "100"),
        ("12345678901234567890123", "12345678901234567890123"), ("-12.50e1", "-125"), ("0.1e1", "1"), ("1E+2", "100"),
        ("100e-2", "1"), ("0e5", "0"), ("1e-10", "0.0000000001"), ("123.456e-2", "1.23456"),
        ("1e9223372036854775807", "1e9223372036854775807"), ("1e-9223372036854775808", "1e-9223372036854775808"),
        ("1e99999999999999999999", "1e99999999999999999999"),
    ])
    func numbersAreWrittenInPlainDecimal(literal: String, plain: String) {
        #expect(SignedText.plainDecimal(literal) == plain)
    }
}
