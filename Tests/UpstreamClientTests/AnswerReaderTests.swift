import HTTPWire
import Testing

@testable import UpstreamClient

/// Answers as a connection brings them: in any pieces, with what follows them.
@Suite struct AnswerReaderTests {
    /// What a reader made of an answer.
    private struct Outcome: Equatable {
        var status: Int?
        var content = ""
        var consumed = 0
        var isComplete = false
        var fault: AnswerReader.Fault?
    }

    /// Reads a text in pieces of the given sizes, the last one for all that is left.
    private static func read(
        _ text: String,
        pieces: [Int] = [],
        isAnswerToHead: Bool = false,
        maximumHead: Int = 4096,
        maximumContent: Int = 1000,
        endsOrderly: Bool? = nil
    ) -> Outcome {
        var reader = AnswerReader(
            isAnswerToHead: isAnswerToHead,
            maximumHead: maximumHead,
            maximumContent: maximumContent
        )
        var outcome = Outcome()
        var content: [UInt8] = []
        var rest = Array(text.utf8)[...]
        var sizes = pieces
        while !rest.isEmpty, !reader.isComplete, outcome.fault == nil {
            let piece = rest.prefix(sizes.isEmpty ? rest.count : sizes.removeFirst())
            rest = rest.dropFirst(piece.count)
            piece.withUnsafeBytes { bytes in
                do throws(AnswerReader.Fault) {
                    var used = try reader.takeHead(bytes)
                    if reader.head.isFinished {
                        let behind = UnsafeRawBufferPointer(rebasing: bytes[used...])
                        used += try reader.takeContent(behind) { content.append(contentsOf: $0) }
                    }
                    outcome.consumed += used
                } catch {
                    outcome.fault = error
                }
            }
        }
        if let endsOrderly { _ = reader.end(isOrderly: endsOrderly) }
        outcome.status = reader.head.isFinished ? reader.head.status : nil
        outcome.content = String(decoding: content, as: UTF8.self)
        outcome.isComplete = reader.isComplete
        return outcome
    }

    /// What belongs to the answer, what it says, and what follows it on the connection.
    private static let answers: [(text: String, status: Int, content: String, rest: String)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", ""),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", "HTTP/1.1 200 OK\r\n\r\n"),
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404, "", "x"),
        ("HTTP/1.1 204 No Content\r\nA: b\r\n\r\n", 204, "", "\r\n"),
        ("HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 200, "ok", ""),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                + "HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\nabc", 201, "abc", ""
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=\"b\"\r\nabc\r\n2\r\nde\r\n0\r\nT: v\r\n\r\n",
            200,
            "abcde", "HTTP"
        ),
        // Old servers pad the size, and whatever else stands behind it is nobody's business.
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3   \r\nabc\r\n0\t\r\n\r\n", 200, "abc", ""),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;\r\nabc\n2\nde\r\n0 ; =x\r\n\r\n", 200, "abcde", ""),
    ]

    @Test(arguments: answers.indices)
    func anyPiecesMakeTheSameAnswerAndLeaveWhatFollows(_ index: Int) {
        let (text, status, content, rest) = Self.answers[index]
        let expected = Outcome(status: status, content: content, consumed: text.utf8.count, isComplete: true)
        let whole = text + rest
        let count = whole.utf8.count
        #expect(Self.read(whole) == expected)
        #expect(Self.read(whole, pieces: Array(repeating: 1, count: count)) == expected)
        for split in 1..<count {
            #expect(Self.read(whole, pieces: [split]) == expected, "split at \(split)")
        }
    }

    @Test func whatTheEndOfTheConnectionDelimitsIsCompleteOnlyWhenThatWasSaid() {
        let text = "HTTP/1.1 200 OK\r\n\r\nall of it"
        let expected = Outcome(status: 200, content: "all of it", consumed: text.utf8.count, isComplete: true)
        for pieces in [[], [1], [19], [25], Array(repeating: 1, count: text.utf8.count)] {
            #expect(Self.read(text, pieces: pieces, endsOrderly: true) == expected)
            #expect(Self.read(text, pieces: pieces, endsOrderly: false).isComplete == false)
            #expect(Self.read(text, pieces: pieces).isComplete == false)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n", "HTTP/1.1 200",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", "",
    ])
    func anOrderlyEndDoesNotCompleteWhatBreaksOff(_ text: String) {
        #expect(Self.read(text, endsOrderly: true).isComplete == false)
    }

    @Test func anAnswerToHeadEndsWithItsHead() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        let outcome = Self.read(head + "HTTP/1.1", isAnswerToHead: true)
        #expect(outcome == Outcome(status: 200, content: "", consumed: head.utf8.count, isComplete: true))
    }

    @Test func contentUpToTheLimitIsTakenAndNotAByteMore() {
        let heads = [
            ("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n", "123456"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "3\r\n123\r\n3\r\n456\r\n0\r\n\r\n"),
            ("HTTP/1.1 200 OK\r\n\r\n", "123456"),
        ]
        for (head, content) in heads {
            for pieces in [[], Array(repeating: 1, count: 200)] {
                let atLimit = Self.read(head + content, pieces: pieces, maximumContent: 6, endsOrderly: true)
                #expect(atLimit.fault == nil && atLimit.content == "123456" && atLimit.isComplete)
                let beyond = Self.read(head + content, pieces: pieces, maximumContent: 5, endsOrderly: true)
                #expect(beyond.fault == .tooLarge("the answer is larger than 5 bytes"))
            }
        }
    }

    @Test func theHeadIsBoundedInWholeLinesAndInPieces() {
        let line = "X: " + String(repeating: "a", count: 100) + "\r\n"
        let heads = [
            "HTTP/1.1 200 OK\r\n" + line, "HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 200),
            String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 10), String(repeating: "a", count: 200),
        ]
        for head in heads {
            for pieces in [[], [30], Array(repeating: 1, count: 300)] {
                let outcome = Self.read(head, pieces: pieces, maximumHead: 100)
                #expect(outcome.fault == .tooLarge("the head of the answer is too large"))
            }
        }
    }

    @Test func trailersAreBoundedAsTheHeadIs() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let trailers = String(repeating: "A: b\r\n", count: 20)
        let text = head + "0\r\n" + trailers + "\r\n"
        #expect(Self.read(text, maximumHead: 122).isComplete)
        #expect(Self.read(text, maximumHead: 121).fault == .malformed("the chunks of the answer are malformed"))
    }

    @Test func brokenChunksAreAFault() {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        for chunks in ["xyz\r\n", "3\r\nabcd\r\n", "-1\r\n", "\r\n", "3\r\nabc0\r\n\r\n"] {
            let fault = Self.read(head + chunks, pieces: [head.utf8.count + 1]).fault
            #expect(fault == .malformed("the chunks of the answer are malformed"))
        }
    }
}
