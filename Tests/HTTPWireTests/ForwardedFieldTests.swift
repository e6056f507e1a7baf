import HTTPWire
import Testing

@Suite struct ForwardedFieldTests {
    @Test(
        arguments: [
            // RFC 7239, section 4: the examples, and names in any case.
            (#"for="_gazonk""#, ["_gazonk"]), (#"For="[2001:db8:cafe::17]:4711""#, ["[2001:db8:cafe::17]:4711"]),
            ("for=192.0.2.60;proto=http;by=203.0.113.43", ["192.0.2.60"]),
            ("for=192.0.2.43, for=198.51.100.17", ["192.0.2.43", "198.51.100.17"]),
            // Section 7.1.
            (#"for=192.0.2.43,for="[2001:db8:cafe::17]""#, ["192.0.2.43", "[2001:db8:cafe::17]"]),
            // An element need not tell of anybody, and empty ones and empty pairs do not count.
            ("proto=https;by=_p", [nil]), (", for=a;, ,;for=b,", ["a", "b"]), ("", []),
            // Commas, semicolons and quotes inside of quotes are none.
            (#"for="a, for=b;\"\\", for=c"#, [#"a, for=b;"\"#, "c"]),
        ] as [(String, [String?])]
    )
    func elementsAreReadInOrder(line: String, identifiers: [String?]) {
        #expect(ForwardedField.identifiers(in: line) == identifiers)
    }

    @Test(arguments: [
        #"for="192.0.2.1"#, #"for="x, for=192.0.2.1"#, #"for=192.0.2.1, for="[2001:db8::1]"#, "for=[2001:db8::1]",
        "for=192.0.2.1:80", "for", "for=", "=a", "for = a", "for=a b", "for=a;for=b", "for=a;For=b", #"for="a"b"#,
        #"for=a"b,c""#, "for=a, @", #"for="evil, for="[2001:db8::1]""#, "for=a\u{7F}",
    ])
    func aLineOutsideTheGrammarIsNotReadAtAll(line: String) {
        #expect(ForwardedField.identifiers(in: line) == nil)
    }
}
