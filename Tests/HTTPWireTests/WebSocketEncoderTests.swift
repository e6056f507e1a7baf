import HTTPWire
import TestSupport
import Testing

/// The expected bytes are those of RFC 6455, section 5.7, or were written by hand.
@Suite struct WebSocketEncoderTests {
    private static let client = WebSocketEncoder.client { 0x3D21_FA37 }

    private func encoded(_ encode: (inout [UInt8]) -> Void) -> [UInt8] {
        // What stands there stays there.
        var buffer: [UInt8] = [0xEE]
        encode(&buffer)
        #expect(buffer.first == 0xEE)
        return Array(buffer.dropFirst())
    }

    @Test func theExamplesOfTheStandardAreWritten() {
        let server = WebSocketEncoder.server
        #expect(
            self.encoded { server.encode(.text("Hello"), into: &$0) } == [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]
        )
        #expect(
            self.encoded { Self.client.encode(.text("Hello"), into: &$0) }
                == [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        )
        #expect(
            self.encoded {
                server.encode(.text, Array("Hel".utf8), isFinal: false, into: &$0)
                server.encode(.continuation, Array("lo".utf8), into: &$0)
            } == [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F]
        )
        #expect(
            self.encoded { server.encode(.ping, Array("Hello".utf8), into: &$0) }
                == [0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F]
        )
        #expect(
            self.encoded { Self.client.encode(.pong, Array("Hello".utf8), into: &$0) }
                == [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        )
    }

    @Test(
        arguments: [
            (0, [0x82, 0x00]), (125, [0x82, 0x7D]), (126, [0x82, 0x7E, 0x00, 0x7E]), (256, [0x82, 0x7E, 0x01, 0x00]),
            (65535, [0x82, 0x7E, 0xFF, 0xFF]), (65536, [0x82, 0x7F, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00]),
        ] as [(Int, [UInt8])]
    )
    func theShortestLengthIsWritten(_ count: Int, _ head: [UInt8]) {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        #expect(self.encoded { WebSocketEncoder.server.encode(.binary(content), into: &$0) } == head + content)
        var maskedHead = head
        maskedHead[1] |= 0x80
        #expect(
            self.encoded { Self.client.encode(.binary(content), into: &$0) }
                == maskedHead + HandMadeFrame.key + HandMadeFrame.masked(content)
        )
    }

    @Test func closesAreWritten() {
        let server = WebSocketEncoder.server
        #expect(self.encoded { server.encode(WebSocketClose.withoutCode, into: &$0) } == [0x88, 0x00])
        #expect(
            self.encoded { server.encode(WebSocketClose(.goingAway, reason: "bye"), into: &$0) }
                == [0x88, 0x05, 0x03, 0xE9, 0x62, 0x79, 0x65]
        )
        #expect(
            self.encoded { server.encode(WebSocketClose(.application(4401)), into: &$0) } == [0x88, 0x02, 0x11, 0x31]
        )
    }

    @Test func aReasonIsCutBehindAWholeCharacter() {
        #expect(WebSocketClose(.normalClosure, reason: String(repeating: "a", count: 130)).reason.utf8.count == 123)
        let chinese = WebSocketClose(.normalClosure, reason: "a" + String(repeating: "好", count: 60)).reason
        #expect(chinese == "a" + String(repeating: "好", count: 40))
    }
}
