import HTTPWire
import TestSupport
import Testing

/// Messages with random damage: whatever becomes of them must not depend on how they are cut.
@Suite struct MutationTests {
    private static let interesting: [[UInt8]] = [
        [0x0D], [0x0A], [0x0D, 0x0A], [0x0D, 0x0A, 0x0D, 0x0A], [0x00], [0x20], [0x09], [0x3A], [0x7F], [0x80], [0xFF],
        [0x2D, 0x2D],
        Array("0\r\n".utf8), Array("Content-Length: 3\r\n".utf8), Array("Transfer-Encoding: chunked\r\n".utf8),
        Array("Host: b\r\n".utf8), Array("\r\n--b".utf8), Array("--b--\r\n".utf8), Array("%".utf8), Array(";a=\"".utf8),
    ]

    private func damaged(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var result = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !result.isEmpty {
            let place = Int.random(in: 0..<result.count, using: &generator)
            let length = min(Int.random(in: 0...4, using: &generator), result.count - place)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: result.removeSubrange(place..<place + length)
            case 1: result.insert(contentsOf: result[place..<place + length], at: place)
            case 2: result[place] = UInt8.random(in: 0...255, using: &generator)
            default: result.insert(contentsOf: Self.interesting.randomElement(using: &generator) ?? [], at: place)
            }
        }
        return result
    }

    @Test(arguments: UInt64(0)..<8)
    func damagedRequestsAreJudgedAlikeHoweverTheyAreCut(_ seed: UInt64) {
        let messages = [
            "GET /a?b=%20 HTTP/1.1\r\nHost: [::1]:80\r\nX-A: b\tc\r\nConnection: x, keep-alive\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello",
            "POST http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n0\r\nX: y\r\n\r\n",
            "\r\nOPTIONS * HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        ]
        var generator = SeededGenerator(seed: seed)
        for round in 0..<40 {
            let first = messages[Int.random(in: 0..<messages.count, using: &generator)]
            let second = messages[Int.random(in: 0..<messages.count, using: &generator)]
            let bytes = self.damaged(Array((first + second).utf8), &generator)
            let (whole, problems) = HTTP1Transcript.verified(bytes)
            #expect(
                problems.isEmpty,
                "seed \(seed), round \(round): \(String(decoding: bytes, as: UTF8.self).debugDescription): \(problems)"
            )
            #expect(!whole.outcomes.contains(.stuck), "seed \(seed), round \(round)")
        }
    }

    @Test(arguments: UInt64(0)..<8)
    func damagedMultipartIsJudgedAlikeHoweverItIsCut(_ seed: UInt64) {
        let message =
            "p\r\n--b\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: text/plain\r\n\r\n1\r\n--\r\n--b \r\n"
            + "Content-Disposition: form-data; name=c; filename=\"d%22\"\r\n\r\n--b--\r\ne"
        var generator = SeededGenerator(seed: seed)
        for round in 0..<40 {
            let bytes = self.damaged(Array(message.utf8), &generator)
            let (_, problems) = MultipartTranscript.verified(bytes, boundary: "b")
            #expect(
                problems.isEmpty,
                "seed \(seed), round \(round): \(String(decoding: bytes, as: UTF8.self).debugDescription): \(problems)"
            )
        }
    }
}
