import Cryptography
import SpeechAudio
import Testing

@testable import PlatformSimulator

/// The table of contract yugu, section 7.2, without a network and without waiting.
@Suite struct IdempotencyTableTests {
    private static let limits = IdempotencyTable.Limits(
        answerLifetime: .seconds(86_400),
        runningLifetime: .seconds(900),
        answerBytes: 1_000,
        answerCount: 100
    )

    private let start = ContinuousClock.now
    private let scope = IdempotencyTable.Scope(tenant: "t", key: "k")
    private let request = SHA256.hash(of: "request")
    private let otherRequest = SHA256.hash(of: "other request")
    private var table = IdempotencyTable(limits: Self.limits)

    private static let recipe: EvaluationRecipe = {
        let input = EvaluationInput(coreType: .word, referenceText: "apple", isChinese: false)
        var parser = WAVParser()
        TestRecording.speech.withUnsafeBytes { parser.parse($0) { _, _ in } }
        let audio = AudioFacts(byteCount: 1, digest: SHA256.hash(of: "audio"), parser: parser, meter: nil)
        return EvaluationRecipe(fingerprint: SHA256.hash(of: "request"), input: input, audio: audio)
    }()

    /// Starts a run, which must be granted.
    private mutating func begin(
        _ scope: IdempotencyTable.Scope? = nil,
        after: Duration = .zero
    ) throws -> IdempotencyTable.Ticket {
        let admission = self.table.admit(scope ?? self.scope, fingerprint: self.request, now: self.start + after)
        guard case .evaluate(let ticket) = admission else {
            Issue.record("not granted: \(admission)")
            throw CancellationError()
        }
        return ticket
    }

    private mutating func succeed(
        _ ticket: IdempotencyTable.Ticket,
        _ recordID: String,
        scope: IdempotencyTable.Scope? = nil,
        weight: Int = 1,
        after: Duration = .zero
    ) {
        self.table.succeed(
            scope ?? self.scope,
            ticket: ticket,
            answer: IdempotencyTable.Answer(recordID: recordID, product: .evaluation(Self.recipe), time: 0),
            weight: weight,
            now: self.start + after
        )
    }

    private mutating func replayed(_ scope: IdempotencyTable.Scope? = nil, after: Duration = .zero) -> String? {
        let admission = self.table.admit(scope ?? self.scope, fingerprint: self.request, now: self.start + after)
        if case .replay(let answer) = admission { return answer.recordID }
        return nil
    }

    @Test mutating func aResultIsKeptForItsLifetime() throws {
        self.succeed(try self.begin(), "eval_1")
        #expect(self.replayed(after: .seconds(86_399)) == "eval_1")
        #expect(self.replayed(after: .seconds(86_400)) == nil)
    }

    @Test mutating func theSameRequestWaitsForARunningOne() throws {
        let ticket = try self.begin()
        guard case .running(ticket) = self.table.admit(self.scope, fingerprint: self.request, now: self.start) else {
            Issue.record("must wait")
            return
        }
        #expect(self.table.isRunning(self.scope, ticket: ticket))
    }

    @Test mutating func anotherRequestIsRefusedWhileOneRunsAndAfterwards() throws {
        let ticket = try self.begin()
        for _ in 0..<2 {
            guard case .reused = self.table.admit(self.scope, fingerprint: self.otherRequest, now: self.start) else {
                Issue.record("must be refused")
                return
            }
            self.succeed(ticket, "eval_1")
        }
    }

    @Test mutating func aFailureReleasesTheKeyForAnyRequest() throws {
        let ticket = try self.begin()
        self.table.fail(self.scope, ticket: ticket)
        let admission = self.table.admit(self.scope, fingerprint: self.otherRequest, now: self.start)
        guard case .evaluate = admission else {
            Issue.record("the key must be free: \(admission)")
            return
        }
    }

    @Test mutating func aRunThatDoesNotEndLosesItsKey() throws {
        let lost = try self.begin()
        #expect(self.replayed(after: .seconds(899)) == nil)
        let second = try self.begin(after: .seconds(900))
        // What the first one still says is not heard.
        self.succeed(lost, "eval_lost", after: .seconds(901))
        self.table.fail(self.scope, ticket: lost)
        #expect(self.table.isRunning(self.scope, ticket: second))
        self.succeed(second, "eval_2", after: .seconds(902))
        #expect(self.replayed(after: .seconds(903)) == "eval_2")
    }

    @Test mutating func equalKeysOfTenantsDoNotMeet() throws {
        self.succeed(try self.begin(), "eval_1")
        #expect(self.replayed(IdempotencyTable.Scope(tenant: "u", key: "k")) == nil)
    }

    @Test mutating func theOldestAnswersMakeRoom() throws {
        for index in 0..<4 {
            let scope = IdempotencyTable.Scope(tenant: "t", key: "\(index)")
            self.succeed(try self.begin(scope), "eval_\(index)", scope: scope, weight: 300)
        }
        #expect(self.table.evicted == 1)
        #expect(self.replayed(IdempotencyTable.Scope(tenant: "t", key: "1")) == "eval_1")
        #expect(self.replayed(IdempotencyTable.Scope(tenant: "t", key: "0")) == nil)
    }

    @Test mutating func manyAnswersStayWithinTheCount() throws {
        for index in 0..<5_000 {
            let scope = IdempotencyTable.Scope(tenant: "t", key: "\(index)")
            self.succeed(try self.begin(scope), "eval_\(index)", scope: scope, weight: 0)
        }
        #expect(self.table.evicted == 4_900)
        #expect(self.replayed(IdempotencyTable.Scope(tenant: "t", key: "4900")) == "eval_4900")
        #expect(self.replayed(IdempotencyTable.Scope(tenant: "t", key: "4899")) == nil)
    }

    @Test mutating func runsFromBeforeAResetCannotEndLaterOnes() throws {
        let old = try self.begin()
        self.table.removeAll()
        let new = try self.begin()
        self.succeed(old, "eval_old")
        #expect(self.table.isRunning(self.scope, ticket: new))
    }
}

@Suite struct NonceWindowTests {
    @Test func aNonceIsRefusedForItsLifetimeAndPerTenant() {
        var window = NonceWindow(lifetime: .seconds(300))
        let start = ContinuousClock.now
        #expect(window.insert("n", tenant: "a", now: start) == true)
        #expect(window.insert("n", tenant: "a", now: start + .seconds(299)) == false)
        #expect(window.insert("n", tenant: "b", now: start + .seconds(299)) == true)
        #expect(window.insert("m", tenant: "a", now: start + .seconds(299)) == true)
        #expect(window.insert("n", tenant: "a", now: start + .seconds(300)) == true)
    }

    @Test func theWindowIsBounded() {
        var window = NonceWindow(lifetime: .seconds(300), capacity: 10)
        let start = ContinuousClock.now
        for index in 0..<5_000 {
            #expect(window.insert("\(index)", tenant: "a", now: start) == true)
        }
        #expect(window.insert("4990", tenant: "a", now: start) == false)
        #expect(window.insert("4989", tenant: "a", now: start) == true)
    }
}
