import Cryptography
import EventLoop

/// A paid request on its way: idempotency, limits, the work, and the bill (contract yugu, section 7).
struct PaidCall {
    let state: PlatformState
    let request: PaidRequest
    /// A valid idempotency key, or nil.
    let key: String?
    /// How much longer the work takes.
    let slowness: Duration

    private struct Outcome {
        var answer: IdempotencyTable.Answer
        var body: [UInt8]
        /// The bytes that no other record shares.
        var weight: Int
    }

    /// Does the work, or answers with what the key stands for.
    func reply() async throws(PlatformError) -> Reply {
        guard let key = self.key else {
            let place = try self.reserve()
            return self.reply(await self.run(place))
        }
        let scope = IdempotencyTable.Scope(tenant: self.request.caller.tenant, key: key)
        let deadline = ContinuousClock.now + self.state.configuration.runningWait
        while true {
            let now = ContinuousClock.now
            let admission = self.state.withLock {
                $0.idempotency.admit(scope, fingerprint: self.request.fingerprint, now: now)
            }
            switch admission {
            case .reused:
                throw PlatformError(409, 40_903, "the idempotency key was used for a different request")
            case .replay(let answer):
                return self.replay(answer)
            case .running(let ticket):
                guard now < deadline, !self.state.pauses.isStopped else {
                    throw PlatformError(
                        409,
                        40_901,
                        "a request with this idempotency key is still running",
                        retryAfter: String(self.state.configuration.runningRetryAfter)
                    )
                }
                await self.wait(for: ticket, of: scope, atMost: deadline - now)
            case .evaluate(let ticket):
                return try await self.own(scope: scope, ticket: ticket)
            }
        }
    }

    private func reply(_ outcome: Outcome) -> Reply {
        var reply = Reply(status: 200, body: outcome.body)
        reply.recordID = outcome.answer.recordID
        return reply
    }

    /// Answers with what was stored, which comes out the same to the byte.
    private func replay(_ answer: IdempotencyTable.Answer) -> Reply {
        let body =
            switch answer.product {
            case .evaluation(let recipe): self.body(of: self.state.rendering(of: recipe), answer)
            case .speech(let speech): speech.answer(time: answer.time)
            }
        var reply = Reply(status: 200, body: body)
        reply.recordID = answer.recordID
        reply.isReplayed = true
        return reply
    }

    private func body(of rendered: RenderedEvaluation, _ answer: IdempotencyTable.Answer) -> [UInt8] {
        rendered.answer(recordID: answer.recordID, day: self.state.day(ofUnixSeconds: answer.time / 1_000))
    }

    /// Waits until a run has ended, or for as long as the limit says.
    private func wait(
        for ticket: IdempotencyTable.Ticket,
        of scope: IdempotencyTable.Scope,
        atMost limit: Duration
    ) async {
        let pause = self.state.pauses.reserve()
        let isRunning = self.state.withLock { contents in
            guard contents.idempotency.isRunning(scope, ticket: ticket) else { return false }
            contents.waiters[ticket, default: []].append(pause)
            return true
        }
        guard isRunning else {
            self.state.pauses.forget(pause)
            return
        }
        await self.state.pauses.sleep(pause, for: limit)
        self.state.withLock { $0.waiters[ticket]?.removeAll { $0 == pause } }
    }

    /// Does the work under its key and tells those who wait how it ended.
    private func own(
        scope: IdempotencyTable.Scope,
        ticket: IdempotencyTable.Ticket
    ) async throws(PlatformError) -> Reply {
        let place: AccountBook.Place?
        do throws(PlatformError) {
            place = try self.reserve()
        } catch {
            self.settle(ticket) { $0.idempotency.fail(scope, ticket: ticket) }
            throw error
        }
        let outcome = await self.run(place)
        self.settle(ticket) { contents in
            contents.idempotency.succeed(
                scope,
                ticket: ticket,
                answer: outcome.answer,
                weight: outcome.weight,
                now: .now
            )
        }
        return self.reply(outcome)
    }

    private func settle(_ ticket: IdempotencyTable.Ticket, _ change: (inout PlatformState.Contents) -> Void) {
        let waiting = self.state.withLock { contents -> [Int] in
            change(&contents)
            return contents.waiters.removeValue(forKey: ticket) ?? []
        }
        waiting.forEach(self.state.pauses.end)
    }

    // MARK: The work

    /// Makes sure that the account can pay, and takes its place among the evaluations.
    ///
    /// The daily and concurrency limits are documented for evaluations, not for speech (contract yugu, sections 4.4
    /// and 6.1).
    private func reserve() throws(PlatformError) -> AccountBook.Place? {
        let second = self.state.unixSeconds
        let request = self.request
        let result = self.state.withLock { contents -> Result<AccountBook.Place?, PlatformError> in
            do throws(PlatformError) {
                try contents.accounts.checkPayment(request.caller.appKey)
                guard case .evaluation(let recipe) = request.task else { return .success(nil) }
                let place = try contents.accounts.reserve(
                    request.caller.appKey,
                    wantsReport: recipe.input.includesReport,
                    unixSeconds: second
                )
                return .success(place)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func run(_ place: AccountBook.Place?) async -> Outcome {
        let processing = self.state.withLock { $0.processingTime }
        await self.state.pauses.sleep(for: processing + self.slowness)
        return switch self.request.task {
        case .evaluation(let recipe): self.evaluate(recipe, place)
        case .speech(let order, let form): self.speak(order, form)
        }
    }

    private func evaluate(_ own: EvaluationRecipe, _ place: AccountBook.Place?) -> Outcome {
        let shared = self.state.withLock { $0.shelf.shared(own.fingerprint) }
        let rendered = shared?.rendered ?? self.state.rendering(of: own)
        let recipe = shared?.recipe ?? own
        let weight = shared == nil ? recipe.weight : 0
        let bill = self.bill(
            self.state.makeRecordID(prefix: rendered.prefix),
            coreType: recipe.input.compatName?.rawValue ?? recipe.input.coreType.rawValue,
            overall: rendered.overall,
            audio: recipe.audio
        )
        let request = self.request
        self.state.withLock { contents in
            if let place { contents.accounts.release(place) }
            // A reset came in between: the evaluation belongs to an earlier test.
            guard contents.epoch == request.epoch else { return }
            contents.shelf.add(
                RecordShelf.Record(account: request.caller.appKey, recipe: recipe),
                recordID: bill.recordID,
                weight: weight
            )
            contents.ledger.bill(bill)
        }
        let answer = IdempotencyTable.Answer(recordID: bill.recordID, product: .evaluation(recipe), time: bill.time)
        return Outcome(answer: answer, body: self.body(of: rendered, answer), weight: weight)
    }

    private func speak(_ order: SpeechOrder, _ form: AudioURLForm?) -> Outcome {
        let fileName = "\(self.state.makeTraceID()).\(order.format.rawValue)"
        let form = form ?? self.state.withLock { $0.audioURLForm }
        let speech = MadeSpeech(order: order, fileName: fileName, audioURL: self.state.audioURL(fileName, form))
        let bill = self.bill(self.state.makeRecordID(prefix: "tts_"), coreType: "tts", overall: 0, audio: nil)
        let request = self.request
        self.state.withLock { contents in
            guard contents.epoch == request.epoch else { return }
            contents.speeches.add(speech)
            contents.ledger.bill(bill)
        }
        let answer = IdempotencyTable.Answer(recordID: bill.recordID, product: .speech(speech), time: bill.time)
        return Outcome(answer: answer, body: speech.answer(time: bill.time), weight: speech.weight)
    }

    private func bill(
        _ recordID: String,
        coreType: String,
        overall: Double,
        audio: AudioFacts?
    ) -> SimulatedBill {
        SimulatedBill(
            recordID: recordID,
            key: self.key,
            appKey: self.request.caller.appKey,
            coreType: coreType,
            overall: overall,
            time: self.state.unixMilliseconds,
            audioBytes: audio?.byteCount ?? 0,
            audioDigest: audio?.digest.hex ?? ""
        )
    }
}
