import HTTPWire
import TestSupport
import Testing

/// Field lines and the Host rules (RFC 9110, sections 5 and 7.2; RFC 9112, sections 3.2 and 5).
@Suite struct HTTP1FieldTests {
    @Test(arguments: [
        ("X-A: b", "X-A: b"), ("X-A:b", "X-A: b"), ("X-A:", "X-A: "), ("X-A: \t  ", "X-A: "),
        ("X-A: \t b \t", "X-A: b"),
        ("X-A: b:c:d", "X-A: b:c:d"), ("X-A: b\tc", "X-A: b\tc"), ("X-A: b  c", "X-A: b  c"), ("123: b", "123: b"),
        ("!#$%&'*+-.^_`|~09azAZ: b", "!#$%&'*+-.^_`|~09azAZ: b"), ("x-a: \"b\\\"\"", "x-a: \"b\\\"\""),
        ("X-A: 0123456789abcdef0123456789abcdef", "X-A: 0123456789abcdef0123456789abcdef"),
        ("X-A: 0123456\t\t0123456789", "X-A: 0123456\t\t0123456789"),
        ("X-A: \u{E4}\u{B8}\u{AD}", "X-A: 中"), ("X-A: \u{80}\u{FF}", "X-A: \u{FFFD}\u{FFFD}"),
    ])
    func isRead(_ line: String, _ expected: String) throws {
        let (whole, problems) = HTTP1Transcript.verified("GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\nX-Z: z\r\n\r\n")
        #expect(problems.isEmpty, "\(problems)")
        guard case .request(let request) = try #require(whole.outcomes.first) else {
            Issue.record("refused: \(whole)")
            return
        }
        #expect(request.fields == ["Host: a", expected, "X-Z: z"])
    }

    @Test(arguments: [
        "NoColon", "two words", ": b", ":", "X-A : b", "X-A\t: b", "X A: b", " X-A: b", "\tX-A: b", "X(A: b", "X[A: b",
        "X{A: b", "X@A: b", "X/A: b", "X\\A: b", "X\"A: b", "X,A: b", "X;A: b", "X<A: b", "X=A: b", "X?A: b",
        "X\u{1}A: b",
        "X\u{7F}A: b", "X\u{0}A: b", "X\u{E9}A: b", "X\rA: b", "X-A: b\u{0}c", "X-A: b\rc", "X-A: b\r", "X-A: b\u{1}c",
        "X-A: b\u{B}c", "X-A: b\u{C}c", "X-A: b\u{1B}c", "X-A: b\u{7F}c", "X-A: 01234567\u{7F}c", "X-A: 0123456\u{1F}",
        "X-A: b\r\n c", "X-A: b\r\n\tc", "X-A:\r\n b", "X-A: b\r\n \r\nX-B: c", "X-A\r\n : b", "X-A: b\nX-B: c",
        "X-A: \u{80}\u{7F}", "X-A: \u{FF}\u{1F}\u{FF}", "X-A: \t\u{0}",
    ])
    func isRefused(_ line: String) {
        let (whole, problems) = HTTP1Transcript.verified("GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n")
        #expect(problems.isEmpty, "\(problems)")
        #expect(whole.outcomes == [.rejected(400)], "\(whole)")
    }

    /// Every control character at every place of a long value: eight bytes are looked at together.
    @Test func aControlCharacterIsSeenAtEveryPlaceOfAValue() {
        for position in 0..<24 {
            for byte in Array(UInt8(0)..<0x20) + [0x7F] where byte != 0x09 {
                var value = [UInt8](repeating: 0xC3, count: 24)
                value[position] = byte
                let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: v".utf8) + value + Array("v\r\n\r\n".utf8)
                #expect(HTTP1Transcript(bytes).outcomes == [.rejected(400)], "\(byte) at \(position)")
            }
            var value = [UInt8](repeating: 0x80, count: 24)
            value[position] = 0x09
            let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\nX: v".utf8) + value + Array("v\r\n\r\n".utf8)
            guard case .request = HTTP1Transcript(bytes).outcomes.first else {
                Issue.record("a tab at \(position) was refused")
                return
            }
        }
    }

    // MARK: Host

    @Test(arguments: [
        "a", "example.com", "EXAMPLE.com", "a.example:8790", "a.example:", "127.0.0.1", "127.0.0.1:80",
        "a.example:65535",
        "a.example:00080", "under_score", "a-b.c~d", "a!$&'()*+;=b", "%41b", "[::]", "[::1]", "[::1]:8790", "[1::]",
        "[2001:db8:1:2:3:4:5:6]", "[1:2:3:4:5:6:7::]", "[::2:3:4:5:6:7:8]", "[::ffff:127.0.0.1]",
        "[1:2:3:4:5:6:1.2.3.4]",
        "[v1.fe:a]", "[VF.a]",
    ])
    func hostIsValid(_ host: String) throws {
        let (whole, problems) = HTTP1Transcript.verified("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(problems.isEmpty, "\(problems)")
        guard case .request(let request) = try #require(whole.outcomes.first) else {
            Issue.record("refused: \(whole)")
            return
        }
        #expect(request.authority == host)
    }

    @Test(arguments: [
        "", ":80", "user@a", "a/b", "http://a", "a?b", "a#b", "a, b", "a,", "a,b", "a b", "a\tb", "a:b", "a:-1",
        "a:80:80",
        "a:65536", "a:123456789012345678901234567890", "a: 80", "[::1", "::1", "[]", "[:]", "[:::]", "[1]", "[::1::]",
        "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7:8::]", "[12345::]", "[::g]", "[::1]80", "[::1]:a", "[::1%25eth0]",
        "[::1 ]",
        "[1:2:3:4:5:6:7:1.2.3.4]", "[::1.2.3]", "[::1.2.3.256]", "[::01.2.3.4]", "[::1.2.3.4.5]", "[::1.2.3.4:5]",
        "[1:]",
        "[:1]", "[v.a]", "[v1.]", "[v1]", "[vg.a]", "exa\u{E9}mple", "a\u{1}", "<a>", "\"a\"", "a\\b", "a^b", "a`b",
        "a|b",
        "a{b}", "%", "%4", "%zz", "a[b", "]",
    ])
    func hostIsRefused(_ host: String) {
        let (whole, problems) = HTTP1Transcript.verified("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        #expect(problems.isEmpty, "\(problems)")
        #expect(whole.outcomes == [.rejected(400)], "\(whole)")
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHo_st: a\r\n\r\n", "GET / HTTP/1.2\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nhost: a\r\nX: b\r\nHOST: b\r\n\r\n", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost:\r\n\r\n", "GET http://a/ HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a b\r\n\r\n", "OPTIONS * HTTP/1.1\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\n\r\n",
    ])
    func exactlyOneHostIsNeeded(_ text: String) {
        let (whole, problems) = HTTP1Transcript.verified(text)
        #expect(problems.isEmpty, "\(problems)")
        #expect(whole.outcomes == [.rejected(400)], "\(whole)")
    }

    @Test func version10NeedsNoHost() throws {
        let (whole, problems) = HTTP1Transcript.verified("GET / HTTP/1.0\r\n\r\n")
        #expect(problems.isEmpty, "\(problems)")
        guard case .request(let request) = try #require(whole.outcomes.first) else {
            Issue.record("refused: \(whole)")
            return
        }
        #expect(request.authority == nil)
    }

    @Test func theAuthorityOfTheTargetGoesBeforeHost() throws {
        let (whole, _) = HTTP1Transcript.verified("GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n")
        guard case .request(let request) = try #require(whole.outcomes.first) else {
            Issue.record("refused: \(whole)")
            return
        }
        #expect(request.authority == "a.example")
        #expect(request.fields == ["Host: b.example"])
    }
}
