import HTTPWire
import Locking
import TestSupport
import Testing

/// A socket without a network, and a clock that is set by hand.
///
/// `@unchecked Sendable`: used on the main actor only, except `later`, which has a lock.
private final class FakeCarrier: WebSocketCarrier, @unchecked Sendable {
    var now = ContinuousClock.now
    var isCurrent: Bool { true }
    /// What was written and not looked at yet.
    private var written: [UInt8] = []
    /// How many bytes the socket still takes.
    var room = Int.max
    var isBroken = false
    var changes = 0
    private let later = Locked<[@Sendable () -> Void]>([])

    func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard !self.isBroken else { return nil }
        let count = min(self.room, bytes.count)
        self.room -= count
        self.written += bytes[..<count]
        return count
    }

    func endpointChanged() { self.changes += 1 }

    func execute(_ work: @escaping @Sendable () -> Void) {
        self.later.withLock { $0.append(work) }
    }

    func runLater() {
        for work in self.later.withLock({ later in
            defer { later = [] }
            return later
        }) { work() }
    }

    /// What was written since the last look.
    func output() -> [UInt8] {
        defer { self.written = [] }
        return self.written
    }
}

@MainActor @Suite struct WebSocketEndpointTests {
    private let carrier = FakeCarrier()
    private let budget: WebSocketBudget
    private let share: WebSocketLoopShare
    private let endpoint: WebSocketEndpoint

    private static var configuration: WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.receiveBuffer = 200
        configuration.sendBuffer = 100
        configuration.pingInterval = .seconds(15)
        configuration.pongTimeout = .seconds(30)
        configuration.closeTimeout = .seconds(5)
        configuration.writeTimeout = .seconds(20)
        return configuration
    }

    init() {
        self.budget = WebSocketBudget(limit: 1000)
        self.share = WebSocketLoopShare(budget: self.budget)
        self.endpoint = WebSocketEndpoint(
            .server,
            configuration: Self.configuration,
            share: self.share,
            at: self.carrier.now
        )
        self.endpoint.carrier = self.carrier
    }

    private func receive(_ bytes: [UInt8]) {
        var bytes = bytes
        bytes.withUnsafeMutableBytes { self.endpoint.received($0) }
    }

    private func pass(_ time: Duration) {
        self.carrier.now += time
        self.endpoint.expired()
    }

    /// Lets tasks that wait for nothing run.
    private func settle() async {
        for _ in 0..<20 { await Task.yield() }
    }

    // MARK: - Messages

    @Test func whatComesIsHandedOutInOrder() async {
        self.receive(HandMadeFrame.fromClient(0x82, [1, 2]) + HandMadeFrame.fromClient(0x01, Array("a".utf8)))
        self.receive(HandMadeFrame.fromClient(0x80, Array("b".utf8)))
        #expect(await self.endpoint.receive() == .binary([1, 2]))
        #expect(await self.endpoint.receive() == .text("ab"))
        #expect(self.budget.usedBytes == 0)
        async let next = self.endpoint.receive()
        await self.settle()
        self.receive(HandMadeFrame.fromClient(0x82, [3]))
        #expect(await next == .binary([3]))
        #expect(self.share.receivedMessages == 3)
    }

    @Test func aReceiverThatDoesNotAskStopsTheInput() async {
        self.receive(HandMadeFrame.fromClient(0x82, [UInt8](repeating: 7, count: 100)))
        #expect(self.endpoint.wantsInput)
        self.receive(HandMadeFrame.fromClient(0x82, [8]))
        #expect(!self.endpoint.wantsInput)
        let changes = self.carrier.changes
        #expect(await self.endpoint.receive()?.bytes.count == 100)
        #expect(self.endpoint.wantsInput)
        #expect(self.carrier.changes == changes + 1)
    }

    @Test func aMessageLargerThanTheBufferIsReadToItsEnd() async {
        let piece = [UInt8](repeating: 7, count: 150)
        self.receive(HandMadeFrame.fromClient(0x02, piece) + HandMadeFrame.fromClient(0x00, piece))
        #expect(self.endpoint.wantsInput)
        self.receive(HandMadeFrame.fromClient(0x80, piece))
        #expect(!self.endpoint.wantsInput)
        #expect(await self.endpoint.receive()?.bytes == piece + piece + piece)
        #expect(self.endpoint.wantsInput)
        #expect(self.budget.usedBytes == 0)
    }

    @Test func aFrozenEndNeitherReadsNorSaysAnything() async {
        self.carrier.room = 10
        #expect(await self.endpoint.send(.binary([UInt8](repeating: 1, count: 50))))
        _ = self.carrier.output()
        self.carrier.room = .max
        self.endpoint.freeze()
        #expect(!self.endpoint.wantsInput && !self.endpoint.wantsOutput && self.budget.usedBytes == 0)
        self.endpoint.writable()
        _ = await self.endpoint.send(.binary([2]))
        self.pass(.seconds(15))
        self.endpoint.close(WebSocketClose(.normalClosure))
        #expect(self.carrier.output().isEmpty && !self.endpoint.wantsOutput)
    }

    @Test func aSenderWaitsForASocketThatDoesNotTake() async {
        self.carrier.room = 10
        #expect(await self.endpoint.send(.binary([UInt8](repeating: 1, count: 50))))
        #expect(self.endpoint.wantsOutput)
        let isDone = Locked(false)
        let sending = Task { @MainActor in
            let isSent = await self.endpoint.send(.binary([UInt8](repeating: 2, count: 90)))
            isDone.withLock { $0 = true }
            return isSent
        }
        await self.settle()
        #expect(!isDone.withLock { $0 })
        self.carrier.room = 60
        self.endpoint.writable()
        await self.settle()
        #expect(isDone.withLock { $0 })
        #expect(await sending.value)
        self.carrier.room = .max
        self.endpoint.writable()
        #expect(!self.endpoint.wantsOutput)
        #expect(
            self.carrier.output()
                == HandMadeFrame.fromServer(0x82, [UInt8](repeating: 1, count: 50))
                + HandMadeFrame.fromServer(0x82, [UInt8](repeating: 2, count: 90))
        )
        #expect(self.budget.usedBytes == 0)
    }

    @Test func aCancelledReceiverGetsNothingAndTheNextOneDoes() async {
        let receiving = Task { @MainActor in await self.endpoint.receive() }
        await self.settle()
        receiving.cancel()
        self.carrier.runLater()
        #expect(await receiving.value == nil)
        self.receive(HandMadeFrame.fromClient(0x82, [1]))
        #expect(await self.endpoint.receive() == .binary([1]))
    }

    // MARK: - Pings

    @Test func pingsAreAnswered() async {
        self.receive(HandMadeFrame.fromClient(0x89, [1, 2]))
        #expect(self.carrier.output() == HandMadeFrame.fromServer(0x8A, [1, 2]))
    }

    @Test func ofPingsToAStuckSocketTheLatestIsAnswered() async {
        self.carrier.room = 1
        await self.endpoint.send(.binary([9]))
        for number in UInt8(1)...50 { self.receive(HandMadeFrame.fromClient(0x89, [number])) }
        self.carrier.room = .max
        self.endpoint.writable()
        #expect(self.carrier.output() == HandMadeFrame.fromServer(0x82, [9]) + HandMadeFrame.fromServer(0x8A, [50]))
    }

    @Test func whoIsSilentIsPingedAndThenLost() async {
        self.pass(.seconds(14))
        #expect(self.carrier.output().isEmpty)
        self.pass(.seconds(1))
        #expect(self.carrier.output().first == 0x89)
        self.pass(.seconds(29))
        #expect(self.endpoint.end == nil)
        self.pass(.seconds(1))
        #expect(self.endpoint.end == .lost(.silent))
        #expect(self.endpoint.isOver)
        #expect(await self.endpoint.receive() == nil)
    }

    @Test func anyByteIsASignOfLife() {
        for _ in 0..<10 {
            self.pass(.seconds(20))
            self.receive([0x82])
            self.receive([0x80, 0, 0, 0, 0])
            _ = self.endpoint.end
        }
        #expect(self.endpoint.end == nil)
    }

    @Test func whoIsNotReadIsNotSilent() async {
        self.receive(HandMadeFrame.fromClient(0x82, [UInt8](repeating: 7, count: 150)))
        #expect(!self.endpoint.wantsInput)
        for _ in 0..<10 { self.pass(.seconds(20)) }
        #expect(self.endpoint.end == nil)
        _ = await self.endpoint.receive()
        self.pass(.seconds(29))
        #expect(self.endpoint.end == nil)
        self.pass(.seconds(1))
        #expect(self.endpoint.end == .lost(.silent))
    }

    @Test func aSignOfLifeCanBeAskedFor() async {
        let lives = Task { @MainActor in await self.endpoint.ping(within: .seconds(5)) }
        await self.settle()
        let ping = self.carrier.output()
        #expect(ping.prefix(2) == [0x89, 8])
        // A pong that answers no ping of ours.
        self.receive(HandMadeFrame.fromClient(0x8A, [0, 0, 0, 0, 0, 0, 0, 99]))
        self.receive(HandMadeFrame.fromClient(0x8A, Array(ping.dropFirst(2))))
        #expect(await lives.value)
        let isGone = Task { @MainActor in await self.endpoint.ping(within: .seconds(5)) }
        await self.settle()
        #expect(self.endpoint.deadline == self.carrier.now + .seconds(5))
        self.pass(.seconds(5))
        #expect(await isGone.value == false)
        #expect(self.endpoint.end == nil)
    }

    @Test func aPeerCanBePlayedThatAnswersNoPing() {
        var configuration = Self.configuration
        configuration.answersPings = false
        let mute = WebSocketEndpoint(.server, configuration: configuration, share: self.share, at: self.carrier.now)
        mute.carrier = self.carrier
        var bytes = HandMadeFrame.fromClient(0x89, [1])
        bytes.withUnsafeMutableBytes { mute.received($0) }
        #expect(self.carrier.output().isEmpty)
    }

    // MARK: - Ends

    @Test func thisEndCloses() async {
        self.endpoint.close(WebSocketClose(.normalClosure, reason: "done"))
        #expect(self.carrier.output() == HandMadeFrame.closeFromServer(1000, "done"))
        #expect(await !self.endpoint.send(.text("late")))
        #expect(self.endpoint.end == nil)
        // What was on its way is thrown away.
        self.receive(HandMadeFrame.fromClient(0x82, [1]) + HandMadeFrame.closeFromClient(1001))
        #expect(self.endpoint.end == .closed(WebSocketClose(.normalClosure, reason: "done")))
        #expect(await self.endpoint.receive() == nil)
        #expect(await self.endpoint.untilEnd() == .closed(WebSocketClose(.normalClosure, reason: "done")))
        #expect(self.carrier.output().isEmpty)
        #expect(self.endpoint.mayFinishWriting)
        #expect(!self.endpoint.isOver)
        self.endpoint.inputEnded()
        #expect(self.endpoint.isOver)
    }

    @Test func theOtherEndCloses() async {
        async let end = self.endpoint.untilEnd()
        await self.settle()
        self.receive(HandMadeFrame.fromClient(0x82, [1]) + HandMadeFrame.closeFromClient(4400, "bye"))
        #expect(self.carrier.output().prefix(4) == [0x88, 5, 0x11, 0x30])
        let close = WebSocketClose(.application(4400), reason: "bye")
        #expect(await end == .closedByPeer(close))
        // What came before is not lost.
        #expect(await self.endpoint.receive() == .binary([1]))
        #expect(await self.endpoint.receive() == nil)
        #expect(self.endpoint.mayFinishWriting)
    }

    @Test func aCloseWithoutCodeIsAnsweredWithout() {
        self.receive(HandMadeFrame.fromClient(0x88, []))
        #expect(self.carrier.output() == [0x88, 0])
        #expect(self.endpoint.end == .closedByPeer(.withoutCode))
    }

    @Test func aCloseThatIsNotAnsweredHasAnEnd() {
        self.endpoint.close(WebSocketClose(.goingAway))
        self.pass(.seconds(4))
        #expect(!self.endpoint.isOver)
        self.pass(.seconds(1))
        #expect(self.endpoint.isOver)
        #expect(self.endpoint.end == .closed(WebSocketClose(.goingAway)))
    }

    @Test func aConnectionThatDoesNotEndBelowHasAnEnd() {
        self.receive(HandMadeFrame.closeFromClient(1000))
        #expect(!self.endpoint.isOver)
        self.pass(.seconds(5))
        #expect(self.endpoint.isOver)
        #expect(self.endpoint.end == .closedByPeer(WebSocketClose(.normalClosure)))
    }

    @Test(
        arguments: [
            ([0x83], .unknownOpcode, 1002), ([0x81, 0x81, 0, 0, 0, 0, 0xFF], .invalidUTF8, 1007),
            ([0x82, 0xFF, 0, 0, 0, 0, 0, 2, 0, 1], .frameTooLarge, 1009),
        ] as [([UInt8], WebSocketError, UInt16)]
    )
    func whoBreaksTheProtocolIsToldAndClosedOn(_ bytes: [UInt8], _ error: WebSocketError, _ code: UInt16) async {
        self.receive(bytes)
        #expect(self.carrier.output() == HandMadeFrame.closeFromServer(code, error.message))
        #expect(self.endpoint.end == .violated(error))
        #expect(await self.endpoint.receive() == nil)
        self.receive([0x82, 0x80, 0, 0, 0, 0])
        #expect(await self.endpoint.receive() == nil)
        #expect(self.endpoint.mayFinishWriting)
    }

    @Test func whoLeavesWithoutACloseIsLost() async {
        self.receive(HandMadeFrame.fromClient(0x82, [1]))
        self.endpoint.inputEnded()
        #expect(self.endpoint.end == .lost(.disconnected))
        #expect(self.endpoint.isOver)
        #expect(await self.endpoint.receive() == .binary([1]))
        #expect(await self.endpoint.receive() == nil)
        #expect(await !self.endpoint.send(.text("late")))
    }

    @Test func aBrokenSocketIsFoundByWriting() async {
        self.carrier.isBroken = true
        #expect(await !self.endpoint.send(.text("a")))
        #expect(self.endpoint.end == .lost(.disconnected))
    }

    @Test func whoTakesNothingIsLost() async {
        self.carrier.room = 3
        await self.endpoint.send(.text("abcdef"))
        self.pass(.seconds(10))
        self.carrier.room = 1
        self.endpoint.writable()
        self.receive([0x82])
        self.pass(.seconds(19))
        #expect(self.endpoint.end == nil)
        self.pass(.seconds(1))
        #expect(self.endpoint.end == .lost(.stalled))
        #expect(self.budget.usedBytes == 0)
    }

    @Test func aConnectionCanBeDropped() async {
        self.endpoint.abort()
        #expect(self.endpoint.isOver)
        #expect(self.endpoint.end == .lost(.aborted))
        #expect(self.carrier.output().isEmpty)
    }

    // MARK: - Budgets

    @Test func whoNeedsMoreThanThereIsIsClosedOn() async {
        #expect(self.budget.usedBytes == 0)
        // A message that does not end, against the budget of all.
        let piece = [UInt8](repeating: 1, count: 400)
        self.receive(HandMadeFrame.fromClient(0x02, piece) + HandMadeFrame.fromClient(0x00, piece))
        #expect(self.budget.usedBytes == 800)
        self.receive(HandMadeFrame.fromClient(0x00, piece))
        #expect(self.endpoint.end == .lost(.overloaded))
        #expect(Array(self.carrier.output().prefix(4)) == [0x88, 0x23, 0x03, 0xF5])
        #expect(self.budget.usedBytes == 0)
    }

    @Test(arguments: [(0, 600), (800, 300)])
    func anOwnersConnectionsKeepNoMoreThanTheirShare(ofOthers: Int, count: Int) async {
        // A share of 500 bytes is no room of its own: there are 1000.
        let owned = WebSocketBudget(limit: 500, of: self.budget)
        let carrier = FakeCarrier()
        let theirs = WebSocketEndpoint(
            .server,
            configuration: Self.configuration,
            share: self.share,
            budget: owned,
            at: carrier.now
        )
        theirs.carrier = carrier
        func receive(_ opcode: UInt8, _ count: Int) {
            var bytes = HandMadeFrame.fromClient(opcode, [UInt8](repeating: 1, count: count))
            bytes.withUnsafeMutableBytes { theirs.received($0) }
        }
        if ofOthers > 0 { self.receive(HandMadeFrame.fromClient(0x02, [UInt8](repeating: 1, count: ofOthers))) }
        receive(0x02, 100)
        #expect(owned.usedBytes == 100 && self.budget.usedBytes == ofOthers + 100)
        receive(0x00, count - 100)
        #expect(theirs.end == .lost(.overloaded))
        #expect(owned.usedBytes == 0 && self.budget.usedBytes == ofOthers)
        #expect(self.endpoint.end == nil)
    }

    @Test func aSenderWithoutRoomLosesTheConnection() async {
        self.carrier.room = 0
        #expect(await !self.endpoint.send(.binary([UInt8](repeating: 1, count: 1001))))
        #expect(self.endpoint.end == .lost(.overloaded))
        #expect(self.budget.usedBytes == 0)
    }

    @Test func whoFindsNoRoomBehindOthersIsNotLeftWaiting() async {
        self.carrier.room = 0
        let first = Task { @MainActor in await self.endpoint.send(.binary([UInt8](repeating: 1, count: 900))) }
        await self.settle()
        let changes = self.carrier.changes
        #expect(await !self.endpoint.send(.binary([UInt8](repeating: 1, count: 200))))
        #expect(self.endpoint.isOver)
        // The carrier has to hear of it, or the socket would stay open.
        #expect(self.carrier.changes > changes)
        #expect(await !first.value)
    }

    @Test func aFloodOfEmptyMessagesCountsToo() {
        for _ in 0..<100 { self.receive(HandMadeFrame.fromClient(0x82, [])) }
        #expect(self.endpoint.end == .lost(.overloaded))
    }

    @Test func aClientMasksAndLeavesTheEndToTheServer() async {
        let client = WebSocketEndpoint(
            .client { 0x3D21_FA37 },
            configuration: Self.configuration,
            share: self.share,
            at: self.carrier.now
        )
        client.carrier = self.carrier
        await client.send(.text("Hello"))
        #expect(self.carrier.output() == HandMadeFrame.fromClient(0x81, Array("Hello".utf8)))
        var bytes = HandMadeFrame.fromServer(0x81, Array("Hi".utf8)) + HandMadeFrame.closeFromServer(1011, "x")
        bytes.withUnsafeMutableBytes { client.received($0) }
        #expect(await client.receive() == .text("Hi"))
        #expect(client.end == .closedByPeer(WebSocketClose(.internalError, reason: "x")))
        #expect(self.carrier.output() == HandMadeFrame.closeFromClient(1011, "x"))
        client.inputEnded()
        #expect(client.isOver)
    }
}
