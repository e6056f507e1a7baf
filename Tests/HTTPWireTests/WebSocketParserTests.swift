import HTTPWire
import TestSupport
import Testing

@Suite struct WebSocketParserTests {
    private typealias Item = WebSocketTranscript.Item

    private func expect(
        _ bytes: [UInt8],
        _ role: WebSocketRole,
        _ items: [WebSocketTranscript.Item],
        open: WebSocketMessage? = nil,
        limits: WebSocketLimits = .init(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (whole, problems) = WebSocketTranscript.verified(bytes, role: role, limits: limits)
        #expect(whole.items == items, sourceLocation: sourceLocation)
        #expect(whole.open == open, sourceLocation: sourceLocation)
        #expect(problems.isEmpty, "\(problems)", sourceLocation: sourceLocation)
    }

    private static let hello = Array("Hello".utf8)

    // MARK: - The examples of RFC 6455, section 5.7

    @Test func theExamplesOfTheStandardAreRead() {
        self.expect([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], .client, [.message(.text("Hello"))])
        self.expect(
            [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58],
            .server,
            [.message(.text("Hello"))]
        )
        self.expect(
            [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F],
            .client,
            [.message(.text("Hello"))]
        )
        self.expect([0x89, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], .client, [.ping(Self.hello)])
        self.expect(
            [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58],
            .server,
            [.pong(Self.hello)]
        )
        let medium = [UInt8](repeating: 0xAB, count: 256)
        self.expect([0x82, 0x7E, 0x01, 0x00] + medium, .client, [.message(.binary(medium))])
        let large = [UInt8](repeating: 0xCD, count: 65536)
        self.expect(
            [0x82, 0x7F, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00] + large,
            .client,
            [.message(.binary(large))]
        )
    }

    // MARK: - Messages

    @Test func severalMessagesWithControlFramesInsideAreRead() {
        let bytes =
            HandMadeFrame.fromClient(0x01, Array("今天".utf8)) + HandMadeFrame.fromClient(0x89, [1, 2])
            + HandMadeFrame.fromClient(0x00, []) + HandMadeFrame.fromClient(0x8A, [])
            + HandMadeFrame.fromClient(0x80, Array("天气".utf8))
            + HandMadeFrame.fromClient(0x82, []) + HandMadeFrame.fromClient(0x81, [])
            + HandMadeFrame.fromClient(0x82, [UInt8](0...255))
            + HandMadeFrame.fromClient(0x88, [0x03, 0xE8] + Array("好".utf8))
        self.expect(
            bytes,
            .server,
            [
                .ping([1, 2]), .pong([]), .message(.text("今天天气")), .message(.binary([])), .message(.text("")),
                .message(.binary([UInt8](0...255))), .close(WebSocketClose(.normalClosure, reason: "好")),
            ]
        )
    }

    @Test func whatFollowsACloseIsThrownAway() {
        let bytes = HandMadeFrame.fromClient(0x88, [0x03, 0xE9]) + [0xFF, 0xFF, 0x00] + Self.hello
        self.expect(bytes, .server, [.close(WebSocketClose(.goingAway))])
    }

    @Test func aCharacterMayBeCutByFrames() {
        let fire = Array("🔥".utf8)
        let bytes =
            HandMadeFrame.fromClient(0x01, [fire[0]]) + HandMadeFrame.fromClient(0x00, [fire[1], fire[2]])
            + HandMadeFrame.fromClient(0x89, [0xFF]) + HandMadeFrame.fromClient(0x80, [fire[3]])
        self.expect(bytes, .server, [.ping([0xFF]), .message(.text("🔥"))])
    }

    // MARK: - What is refused, and when

    @Test(
        arguments: [
            ([0xC1], .reservedBits), ([0xA1], .reservedBits), ([0x91], .reservedBits),
            ([0x83], .unknownOpcode), ([0x87], .unknownOpcode), ([0x8B], .unknownOpcode), ([0x8F], .unknownOpcode),
            ([0x80], .unexpectedContinuation), ([0x00], .unexpectedContinuation),
            ([0x01, 0x80, 0, 0, 0, 0, 0x81], .interruptedMessage),
            ([0x02, 0x80, 0, 0, 0, 0, 0x01], .interruptedMessage),
            ([0x09], .fragmentedControl), ([0x0A], .fragmentedControl), ([0x08], .fragmentedControl),
            ([0x89, 0xFE], .controlTooLong), ([0x88, 0xFF], .controlTooLong),
            ([0x82, 0xFE, 0x00, 0x7D], .lengthNotMinimal), ([0x82, 0xFE, 0x00, 0x00], .lengthNotMinimal),
            ([0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .lengthNotMinimal),
            ([0x82, 0xFF, 0x80], .lengthOutOfRange),
            ([0x81, 0x05], .unmaskedFrame), ([0x89, 0x00], .unmaskedFrame),
            ([0x88, 0x81, 0, 0, 0, 0, 0x03], .truncatedCloseCode),
        ] as [([UInt8], WebSocketError)]
    )
    func theByteThatBreaksTheProtocolIsTheLastOne(_ bytes: [UInt8], _ error: WebSocketError) {
        self.expect(bytes, .server, [.error(error)])
        self.expect(Array(bytes.dropLast()), .server, [])
        self.expect(bytes + Self.hello, .server, [.error(error)])
    }

    @Test func aServerMustNotMask() {
        self.expect([0x81, 0x85], .client, [.error(.maskedFrame)])
        self.expect([0x81], .client, [])
    }

    @Test(
        arguments: [
            0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535,
        ] as [UInt16]
    )
    func codesThatMayNotBeSentAreRefused(_ code: UInt16) {
        let bytes = HandMadeFrame.fromClient(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)])
        self.expect(bytes, .server, [.error(.invalidCloseCode)])
        #expect(WebSocketCloseCode(rawValue: code) == nil)
    }

    @Test(
        arguments: [
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4401, 4999,
        ]
            as [UInt16]
    )
    func codesThatMayBeSentAreTaken(_ code: UInt16) throws {
        let bytes = HandMadeFrame.fromClient(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array("bye".utf8))
        let close = WebSocketClose(try #require(WebSocketCloseCode(rawValue: code)), reason: "bye")
        self.expect(bytes, .server, [.close(close)])
    }

    @Test func aCloseWithoutACodeIsTaken() {
        self.expect(HandMadeFrame.fromClient(0x88, []), .server, [.close(.withoutCode)])
    }

    @Test func aReasonThatIsNoTextIsRefused() {
        self.expect(HandMadeFrame.fromClient(0x88, [0x03, 0xE8, 0xC3]), .server, [.error(.invalidUTF8)])
    }

    // MARK: - Texts

    /// Behind "ok": what cannot be right, with the byte that shows it last; the texts of Autobahn's section 6 and
    /// Markus Kuhn's stress test.
    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0], [0xC1], [0xF5], [0xFF], [0xC3, 0x28], [0xE2, 0x28], [0xE2, 0x82, 0x28],
            [0xE0, 0x80], [0xE0, 0x9F], [0xED, 0xA0], [0xED, 0xBF], [0xF0, 0x80], [0xF0, 0x8F], [0xF4, 0x90],
            [0xF0, 0x9F, 0x94, 0x41], [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5, 0xED, 0xA0],
        ] as [[UInt8]]
    )
    func aTextIsRefusedAtTheFirstByteThatCannotBeRight(_ bytes: [UInt8]) {
        let text = Array("ok".utf8) + bytes
        // The frame says that more will come, and the message that it goes on.
        let frame = [0x01, 0x80 | UInt8(text.count + 40)] + HandMadeFrame.key + HandMadeFrame.masked(text)
        let valid = WebSocketMessage(kind: .text, bytes: Array(text.dropLast()))
        self.expect(frame, .server, [.error(.invalidUTF8)], open: valid)
        self.expect(Array(frame.dropLast()), .server, [], open: valid)
    }

    @Test func aTextThatEndsInsideACharacterIsRefused() {
        let open = WebSocketMessage(kind: .text, bytes: [0x61, 0xE2, 0x82])
        self.expect(HandMadeFrame.fromClient(0x81, [0x61, 0xE2, 0x82]), .server, [.error(.invalidUTF8)], open: open)
        let fragments = HandMadeFrame.fromClient(0x01, [0x61, 0xE2, 0x82]) + HandMadeFrame.fromClient(0x80, [])
        self.expect(fragments, .server, [.error(.invalidUTF8)], open: open)
    }

    /// Every scalar value's encoding is taken, and no bytes that the standard library refuses.
    @Test func whatIsTextIsWhatTheStandardLibraryTakes() {
        var generator = SeededGenerator(seed: 7)
        for round in 0..<4000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let value = UInt32.random(in: 0...0x10FFFF, using: &generator)
                guard let scalar = Unicode.Scalar(round.isMultiple(of: 3) ? value % 0x900 : value) else { continue }
                bytes += Array(String(scalar).utf8)
            }
            if round.isMultiple(of: 2), !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            let isText = String(validating: bytes, as: UTF8.self) != nil
            let frame = [0x81, UInt8(bytes.count)] + bytes
            let found = WebSocketTranscript(role: .client) { take in try frame.withUnsafeBytes(take) }
            let expected: Item =
                isText ? .message(WebSocketMessage(kind: .text, bytes: bytes)) : .error(.invalidUTF8)
            #expect(found.items == [expected], "\(bytes)")
        }
    }

    // MARK: - Limits

    @Test func frameAndMessageHaveALimitEach() {
        var limits = WebSocketLimits()
        limits.frameBytes = 4
        limits.messageBytes = 6
        let four: [UInt8] = [1, 2, 3, 4]
        self.expect(HandMadeFrame.fromClient(0x82, four), .server, [.message(.binary(four))], limits: limits)
        self.expect([0x82, 0x85], .server, [.error(.frameTooLarge)], limits: limits)
        let first = HandMadeFrame.fromClient(0x02, four)
        self.expect(
            first + HandMadeFrame.fromClient(0x80, [5, 6]),
            .server,
            [.message(.binary([1, 2, 3, 4, 5, 6]))],
            limits: limits
        )
        let open = WebSocketMessage.binary(four)
        self.expect(first + [0x80, 0x83], .server, [.error(.messageTooLarge)], open: open, limits: limits)
        self.expect(
            first + HandMadeFrame.fromClient(0x89, [1, 2, 3, 4, 5]),
            .server,
            [.ping([1, 2, 3, 4, 5])],
            open: open,
            limits: limits
        )
    }

    @Test func aFrameOf128KiBIsTheLargestByDefault() {
        self.expect([0x82, 0x7F, 0, 0, 0, 0, 0, 2, 0, 0], .client, [])
        self.expect([0x82, 0x7F, 0, 0, 0, 0, 0, 2, 0, 1], .client, [.error(.frameTooLarge)])
    }

    @Test(arguments: WebSocketError.allCases)
    func everyErrorFitsIntoACloseFrame(_ error: WebSocketError) {
        #expect(error.message.utf8.count <= WebSocketClose.maximumReasonBytes)
        let code: UInt16 =
            switch error {
            case .invalidUTF8: 1007
            case .frameTooLarge, .messageTooLarge: 1009
            default: 1002
            }
        #expect(error.closeCode.rawValue == code)
    }

    // MARK: - Damage

    @Test(arguments: UInt64(0)..<8)
    func damagedFramesAreJudgedAlikeHoweverTheyAreCut(_ seed: UInt64) {
        let message =
            HandMadeFrame.fromClient(0x01, Array("今天".utf8)) + HandMadeFrame.fromClient(0x89, [1, 2])
            + HandMadeFrame.fromClient(0x80, Array("天气很好".utf8)) + HandMadeFrame.fromClient(0x82, [UInt8](0...150))
            + HandMadeFrame.fromClient(0x88, [0x03, 0xE8, 0x61])
        var limits = WebSocketLimits()
        limits.frameBytes = 200
        limits.messageBytes = 250
        var generator = SeededGenerator(seed: seed)
        for round in 0..<40 {
            var bytes = message
            for _ in 0..<Int.random(in: 1...2, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                if Bool.random(using: &generator) {
                    bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                } else {
                    bytes.removeSubrange(place..<min(bytes.count, place + 3))
                }
            }
            let (_, problems) = WebSocketTranscript.verified(bytes, role: .server, limits: limits)
            #expect(problems.isEmpty, "seed \(seed), round \(round): \(bytes): \(problems)")
        }
    }
}
