import HTTPWire
import Testing

@testable import UpstreamClient

/// What a failure says about how much of a request may have reached the platform.
@Suite struct RequestWriterTests {
    private static let head = Array("POST / HTTP/1.1\r\n\r\n".utf8)

    private static func writer(_ body: [HTTPBodySegment], isSecure: Bool = false) -> RequestWriter {
        RequestWriter(head: self.head, body: RequestBodyReader(body), isSecure: isSecure)
    }

    /// The bytes that come next, at most so many.
    private static func next(_ writer: RequestWriter, _ count: Int) -> [UInt8]? {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { memory.deallocate() }
        return writer.copy(into: memory).map { Array(memory[..<$0]) }
    }

    @Test(arguments: 1...40)
    func anyPartitionSendsEveryByteOnceAndInOrder(_ room: Int) throws {
        let text = Array("abcdefghij".utf8)
        let body: [HTTPBodySegment] = [.bytes(text, 0..<3), .bytes([]), .bytes(text, 3..<4), .bytes(text, 4..<10)]
        for taken in 1...room {
            var writer = Self.writer(body)
            var sent: [UInt8] = []
            while !writer.isDone {
                let next = try #require(Self.next(writer, room))
                // A connection takes less than it is given, and is given the rest again.
                let part = next.prefix(taken)
                writer.offer(next.count)
                writer.advance(part.count)
                sent += part
            }
            #expect(sent == Array("POST / HTTP/1.1\r\n\r\nabcdefghij".utf8))
            #expect(Self.next(writer, room)?.isEmpty == true)
            #expect(writer.bytesSent == 10)
        }
    }

    @Test func onAPlainConnectionWhatItTookWasSent() {
        var writer = Self.writer([.bytes([1, 2, 3])])
        writer.offer(Self.head.count + 3)
        #expect(writer.bytesSent == 0)
        writer.advance(Self.head.count)
        #expect(writer.bytesSent == 0 && !writer.isDone)
        writer.advance(2)
        #expect(writer.bytesSent == 2 && !writer.isDone)
        writer.advance(1)
        #expect(writer.bytesSent == 3 && writer.isDone)
    }

    /// A record may have left although the write as a whole has not returned.
    @Test func underTLSWhatItWasGivenWasSent() {
        var writer = Self.writer([.bytes([1, 2, 3])], isSecure: true)
        #expect(writer.bytesSent == 0)
        writer.offer(Self.head.count + 2)
        #expect(writer.bytesSent == 2)
        writer.advance(Self.head.count)
        writer.offer(3)
        #expect(writer.bytesSent == 3)
    }

    @Test func withoutContentTheHeadCounts() {
        for isSecure in [false, true] {
            var writer = Self.writer([], isSecure: isSecure)
            #expect(writer.bytesSent == 0)
            writer.offer(Self.head.count)
            #expect((writer.bytesSent > 0) == isSecure)
            writer.advance(Self.head.count)
            #expect(writer.bytesSent == Self.head.count && writer.isDone)
        }
    }
}
