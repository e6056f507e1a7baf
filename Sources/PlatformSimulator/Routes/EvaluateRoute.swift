import Cryptography
import HTTPWire
import SpeechAudio

/// `POST /api/v1/evaluate`: checks, idempotency, evaluation and billing (contract yugu, sections 4 and 7).
struct EvaluateRoute {
    let state: PlatformState

    /// A request that passed all checks.
    struct Accepted: Sendable {
        var tenant: String
        var recipe: EvaluationRecipe
        /// The resets before it.
        var epoch: Int
    }

    /// Where the order of checks ends well: content type, config part, its type, JSON, credentials, coreType,
    /// referenceText, audio (contract yugu, section 15).
    ///
    /// - Parameters:
    ///   - upload: The parts; nil when the content type is not multipart/form-data.
    ///   - boundaryProblem: Why a multipart content type cannot be read, in words.
    ///   - epoch: The resets before the request.
    func check(
        _ upload: EvaluateUpload?,
        boundaryProblem: String?,
        credentials: Credentials,
        epoch: Int
    ) throws(PlatformError) -> Accepted {
        if let boundaryProblem { throw .invalid(boundaryProblem) }
        guard let upload else { throw PlatformError(415, 40_001, "Content-Type is not multipart/form-data") }
        if let problem = upload.problem { throw .invalid(problem) }
        guard let head = upload.configHead else { throw .invalid("the config part is missing") }
        let type = head.contentType.flatMap { MediaType($0) }
        guard type?.essence == "application/json" else {
            throw PlatformError(415, 40_001, "the config part is not application/json")
        }
        let config = try ConfigPart(upload.config)
        let texts = self.signedTexts(upload, head: head, config: config)
        let tenant = try credentials.verify(against: texts, state: self.state)
        let input = try config.input()
        guard let audio = upload.audio, audio.byteCount > 0 else {
            throw .invalid("the audio part is missing or empty")
        }
        guard !audio.hasExactDuration || audio.duration >= 1 else { throw .invalid("the audio is shorter than 1 s") }
        return Accepted(
            tenant: tenant,
            recipe: EvaluationRecipe(
                fingerprint: Self.fingerprint(config: upload.config, audio: audio, image: upload.imageDigest),
                input: input,
                audio: audio
            ),
            epoch: epoch
        )
    }

    /// Form A signs the text of config, form B its members; where config has a filename it is no form parameter, and
    /// only form B applies (contract yugu, section 3.4).
    private func signedTexts(
        _ upload: EvaluateUpload,
        head: MultipartPartHead,
        config: ConfigPart
    ) -> [SignedText] {
        var fields = SignedText()
        for text in upload.texts {
            fields.add(text.name, String(decoding: text.bytes, as: UTF8.self))
        }
        var formB = fields
        formB.addMembers(of: config.scanner)
        guard head.filename == nil else { return [formB] }
        var formA = fields
        formA.add("config", String(decoding: upload.config, as: UTF8.self))
        return [formA, formB]
    }

    private static func fingerprint(config: [UInt8], audio: AudioFacts, image: Digest256?) -> Digest256 {
        var hash = SHA256()
        hash.update("\(config.count):")
        hash.update(config)
        audio.digest.withBytes { hash.update($0) }
        image?.withBytes { hash.update($0) }
        return hash.finalize()
    }

    /// Evaluates a request, or answers it with what its key stands for.
    ///
    /// - Parameters:
    ///   - key: A valid idempotency key, or nil.
    ///   - slowness: How much longer the evaluation takes.
    func evaluate(_ request: Accepted, key: String?, slowness: Duration) async throws(PlatformError) -> Reply {
        guard let key else {
            try self.reserve(request)
            return await self.run(request, key: nil, slowness: slowness).reply
        }
        let scope = IdempotencyTable.Scope(tenant: request.tenant, key: key)
        let deadline = ContinuousClock.now + self.state.configuration.runningWait
        while true {
            let now = ContinuousClock.now
            let admission = self.state.withLock {
                $0.idempotency.admit(scope, fingerprint: request.recipe.fingerprint, now: now)
            }
            switch admission {
            case .reused:
                throw PlatformError(409, 40_903, "the idempotency key was used for a different request")
            case .replay(let answer):
                let rendered = self.state.rendering(of: answer.recipe)
                var reply = Reply(status: 200, body: rendered.answer(recordID: answer.recordID))
                reply.recordID = answer.recordID
                reply.isReplayed = true
                return reply
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
                return try await self.own(request, scope: scope, ticket: ticket, slowness: slowness)
            }
        }
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

    /// Runs an evaluation under its key and tells those who wait how it ended.
    private func own(
        _ request: Accepted,
        scope: IdempotencyTable.Scope,
        ticket: IdempotencyTable.Ticket,
        slowness: Duration
    ) async throws(PlatformError) -> Reply {
        do throws(PlatformError) {
            try self.reserve(request)
        } catch {
            self.settle(scope, ticket) { $0.idempotency.fail(scope, ticket: ticket) }
            throw error
        }
        let outcome = await self.run(request, key: scope.key, slowness: slowness)
        self.settle(scope, ticket) { contents in
            contents.idempotency.succeed(
                scope,
                ticket: ticket,
                answer: IdempotencyTable.Answer(recordID: outcome.recordID, recipe: outcome.recipe),
                weight: outcome.weight,
                now: .now
            )
        }
        return outcome.reply
    }

    private func settle(
        _ scope: IdempotencyTable.Scope,
        _ ticket: IdempotencyTable.Ticket,
        _ change: (inout PlatformState.Contents) -> Void
    ) {
        let waiting = self.state.withLock { contents -> [Int] in
            change(&contents)
            return contents.waiters.removeValue(forKey: ticket) ?? []
        }
        waiting.forEach(self.state.pauses.end)
    }

    /// Takes a place among the account's evaluations, and one of the day's calls.
    private func reserve(_ request: Accepted) throws(PlatformError) {
        let second = self.state.unixSeconds
        let limit = self.state.configuration.concurrentCalls ?? .max
        let refusal = self.state.withLock { contents -> PlatformError? in
            guard contents.running[request.tenant, default: 0] < limit else {
                return PlatformError(429, 42_901, "too many evaluations at one time", retryAfter: "1")
            }
            guard contents.daily.reserve(request.tenant, unixSeconds: second) else {
                return PlatformError(429, 42_903, "the sandbox key has used up its calls of the day")
            }
            contents.running[request.tenant, default: 0] += 1
            return nil
        }
        if let refusal { throw refusal }
    }

    private struct Outcome {
        var reply: Reply
        var recordID: String
        var recipe: EvaluationRecipe
        /// The bytes that no other record shares.
        var weight: Int
    }

    private func run(_ request: Accepted, key: String?, slowness: Duration) async -> Outcome {
        let processing = self.state.withLock { $0.processingTime }
        await self.state.pauses.sleep(for: processing + slowness)
        let shared = self.state.withLock { $0.shelf.shared(request.recipe.fingerprint) }
        let rendered = shared?.rendered ?? self.state.rendering(of: request.recipe)
        let recipe = shared?.recipe ?? request.recipe
        let weight = shared == nil ? recipe.weight : 0
        let recordID = self.state.makeRecordID(prefix: rendered.prefix)
        let bill = SimulatedBill(
            recordID: recordID,
            key: key,
            appKey: request.tenant,
            coreType: recipe.input.coreType.rawValue,
            overall: rendered.overall,
            time: self.state.unixMilliseconds
        )
        self.state.withLock { contents in
            contents.running[request.tenant, default: 1] -= 1
            // A reset came in between: the evaluation belongs to an earlier test.
            guard contents.epoch == request.epoch else { return }
            contents.shelf.add(
                RecordShelf.Record(tenant: request.tenant, recipe: recipe),
                recordID: recordID,
                weight: weight
            )
            contents.ledger.bill(bill)
        }
        var reply = Reply(status: 200, body: rendered.answer(recordID: recordID))
        reply.recordID = recordID
        return Outcome(reply: reply, recordID: recordID, recipe: recipe, weight: weight)
    }
}
