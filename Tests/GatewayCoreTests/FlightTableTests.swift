import Cryptography
import Store
import Testing

@testable import GatewayCore

@Suite struct FlightTableTests {
    private let table = FlightTable(process: 7)
    private let scope = ScopeHash(1, 2)
    private let fingerprint = SHA256.hash(of: [1])

    private func own() throws -> (FlightID, FlightTable.Participant) {
        guard case .owner(let id, let participant) = self.table.enter(self.scope, fingerprint: self.fingerprint) else {
            throw Unexpected()
        }
        return (id, participant)
    }

    private func join() throws -> FlightTable.Participant {
        guard case .waiter(let participant) = self.table.enter(self.scope, fingerprint: self.fingerprint) else {
            throw Unexpected()
        }
        return participant
    }

    private struct Unexpected: Error {}

    private static func role(_ news: FlightTable.News) -> String {
        switch news {
        case .landed(_, let asOwner): asOwner ? "owner" : "waiter"
        case .timedOut: "timed out"
        case .left: "left"
        }
    }

    @Test func landingTellsEveryoneAndFreesTheScope() async throws {
        let (id, owner) = try self.own()
        let waiter = try self.join()
        #expect(self.table.markSent(self.scope, id))
        self.table.land(self.scope, id, with: .failed(.inProgress))
        #expect(Self.role(await owner.waiting.wait()) == "owner")
        #expect(Self.role(await waiter.waiting.wait()) == "waiter")
        #expect(!self.table.contains(self.scope))
    }

    @Test func anotherFingerprintDoesNotJoin() throws {
        _ = try self.own()
        guard case .mismatch = self.table.enter(self.scope, fingerprint: SHA256.hash(of: [2])) else {
            throw Unexpected()
        }
    }

    @Test func anOwnerThatLeavesBeforeSendingHandsOverToTheNext() async throws {
        let (id, owner) = try self.own()
        let second = try self.join()
        let third = try self.join()
        self.table.leave(owner)
        #expect(Self.role(await owner.waiting.wait()) == "left")
        #expect(self.table.markSent(self.scope, id))
        self.table.land(self.scope, id, with: .failed(.inProgress))
        #expect(Self.role(await second.waiting.wait()) == "owner")
        #expect(Self.role(await third.waiting.wait()) == "waiter")
    }

    @Test func anOwnerThatLeavesAfterSendingPromotesNobody() async throws {
        let (id, owner) = try self.own()
        let second = try self.join()
        #expect(self.table.markSent(self.scope, id))
        self.table.leave(owner)
        self.table.land(self.scope, id, with: .failed(.inProgress))
        #expect(Self.role(await second.waiting.wait()) == "waiter")
    }

    @Test func aFlightThatEveryoneLeftIsNotSent() throws {
        let (id, owner) = try self.own()
        self.table.leave(owner)
        #expect(!self.table.markSent(self.scope, id))
        #expect(!self.table.contains(self.scope))
    }

    @Test func aGivenUpFlightCannotLandItsSuccessor() async throws {
        let (first, owner) = try self.own()
        self.table.leave(owner)
        let (second, next) = try self.own()
        self.table.land(self.scope, first, with: .failed(.queueFull))
        #expect(!self.table.markSent(self.scope, first))
        #expect(self.table.markSent(self.scope, second))
        self.table.land(self.scope, second, with: .failed(.inProgress))
        #expect(Self.role(await next.waiting.wait()) == "owner")
    }

    @Test func onlyWaitersTimeOut() async throws {
        let (id, owner) = try self.own()
        let waiter = try self.join()
        self.table.timeOut(owner)
        self.table.timeOut(waiter)
        #expect(Self.role(await waiter.waiting.wait()) == "timed out")
        self.table.land(self.scope, id, with: .failed(.inProgress))
        #expect(Self.role(await owner.waiting.wait()) == "owner")
    }

    @Test func anUnwrittenAnswerIsServedFromTheTableUntilItIsForgotten() throws {
        let (id, _) = try self.own()
        self.table.land(self.scope, id, with: .failed(.inProgress), isWritten: false)
        guard case .landed = self.table.enter(self.scope, fingerprint: self.fingerprint) else { throw Unexpected() }
        self.table.forget(self.scope, FlightID(process: 7, serial: id.serial + 1))
        #expect(self.table.contains(self.scope), "another flight's end is not its own")
        self.table.forget(self.scope, id)
        _ = try self.own()
    }

    @Test func theTokenIsThatOfTheRequestWhoseCallItIs() throws {
        func token(_ id: String) -> TokenUse { TokenUse(tokenID: id, maximumCalls: 1, expiresAt: 1) }
        guard
            case .owner(let id, let owner) = self.table.enter(
                self.scope,
                fingerprint: self.fingerprint,
                token: token("a")
            ),
            case .waiter(let second) = self.table.enter(self.scope, fingerprint: self.fingerprint, token: token("b"))
        else { throw Unexpected() }
        self.table.leave(owner)
        #expect(self.table.token(self.scope, id) == token("b"))
        #expect(self.table.markSent(self.scope, id))
        self.table.leave(second)
        #expect(self.table.token(self.scope, id) == token("b"))
    }

    @Test func aRefusalOfTheOwnersCredentialIsNobodyElses() throws {
        #expect(throws: GatewayError.self) { try FlightResult.refused(.tokenExhausted).response(isOwner: true) }
        do throws(GatewayError) {
            _ = try FlightResult.refused(.tokenExhausted).response(isOwner: false)
        } catch {
            #expect(error.code == .inProgress && error.reason == nil)
        }
    }

    @Test func idleMeansThatNoFlightIsLeft() async throws {
        let (id, _) = try self.own()
        let drained = Task { await self.table.waitUntilIdle() }
        await Task.yield()
        self.table.land(self.scope, id, with: .failed(.inProgress))
        await drained.value
        #expect(self.table.count == 0)
    }
}
