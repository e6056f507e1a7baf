import JSONScan
import Testing

@Suite struct SignedScalarsTests {
    @Test(arguments: [
        ("1.0", "1"), ("1e-7", "0.0000001"), ("0", "0"), ("-0", "0"), ("-0.0", "0"), ("0.50", "0.5"), ("100", "100"),
        ("1E3", "1000"), ("1.5e+2", "150"), ("12.345e1", "123.45"), ("-2.50", "-2.5"), ("0.000", "0"),
        ("-12e-1", "-1.2"), ("0e5", "0"), ("12345678901234567890.10", "12345678901234567890.1"),
    ])
    func numbersInPlainDecimal(literal: String, plain: String) throws {
        let scanner = try JSONScanner(validating: Array(literal.utf8))
        let root = try #require(scanner.root)
        #expect(scanner.plainDecimal(of: root) == plain)
    }

    @Test(arguments: ["1e999999999999999999999", "1e513", "\"1\"", "true"])
    func whatHasNoPlainDecimal(literal: String) throws {
        let scanner = try JSONScanner(validating: Array(literal.utf8))
        let root = try #require(scanner.root)
        #expect(scanner.plainDecimal(of: root) == nil)
    }

    @Test func scalarsOnlyWithEscapesUndone() throws {
        let json = #"{"b":"\u4f60\n","a":1e2,"t":true,"f":false,"n":null,"o":{"x":1},"l":[2],"\u006b":"v"}"#
        let scanner = try JSONScanner(validating: Array(json.utf8))
        let scalars = scanner.signedScalars { scanner.literal(of: $0) }
        #expect(scalars.map(\.name) == ["b", "a", "t", "f", "k"])
        #expect(scalars.map(\.value) == ["你\n", "1e2", "true", "false", "v"])
    }
}
