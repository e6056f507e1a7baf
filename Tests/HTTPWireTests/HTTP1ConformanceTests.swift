import HTTPWire
import TestSupport
import Testing

/// The shared conformance cases, run through parser and decoder without a socket.
@Suite struct HTTP1ConformanceTests {
    @Test(.enabled(if: SharedMaterial.isExpected, "the shared material is not there; set SPEECHGATE_SHARED"))
    func everySharedCaseIsDecidedAsTheStrictOutcomeSays() throws {
        let cases = try HTTP1Case.load()
        #expect(cases.count >= 663)
        var decided = 0
        for example in cases {
            let (whole, problems) = HTTP1Transcript.verified(example.bytes)
            #expect(problems.isEmpty, "\(example.name): \(problems)")
            switch self.judge(example, whole) {
            case .agrees: decided += 1
            case .undecided: break
            case .differs(let problem): Issue.record("\(example.name): \(problem); \(whole)")
            }
        }
        // The rest hangs on routes, methods, time or the end of the connection.
        #expect(decided >= 550, "only \(decided) cases were decided by the parser")
    }

    private enum Verdict {
        case agrees, undecided
        case differs(String)
    }

    /// Compares with what the case wants, where a parser alone can decide it.
    private func judge(_ example: HTTP1Case, _ transcript: HTTP1Transcript) -> Verdict {
        let want = example.expect
        let wanted = [want.status] + (want.following ?? [])
        for (position, statuses) in wanted.enumerated() {
            guard position < transcript.outcomes.count else {
                // Silence is right where the client ends too early, and nowhere else.
                return statuses.contains(0) || statuses.contains(408) ? .agrees : .differs("no outcome \(position)")
            }
            switch self.judge(statuses, transcript.outcomes[position]) {
            case .agrees: break
            case let other: return other
            }
        }
        if want.secondResponse == true, transcript.outcomes.count < 2 { return .differs("no second message") }
        if want.secondResponse == false || want.following != nil, transcript.outcomes.count > wanted.count {
            return .differs("a further message")
        }
        guard case .request(let last) = transcript.outcomes.last else {
            return want.connection == "keep" ? .differs("refused, and is to be kept open") : .agrees
        }
        switch want.connection {
        case "close": return last.isPersistent ? .differs("is to be closed") : .agrees
        case "keep": return last.isPersistent ? .agrees : .differs("is to be kept open")
        default: return .agrees
        }
    }

    private func judge(_ statuses: [Int], _ outcome: HTTP1Transcript.Outcome) -> Verdict {
        let byParser: Set = [400, 413, 414, 417, 431, 501, 505]
        let status: Int
        switch outcome {
        case .request: status = 200
        case .rejected(let code): status = code
        case .malformedContent(_, let isTooLarge): status = isTooLarge ? 413 : 400
        case .unfinished: return statuses.contains(408) || statuses.contains(0) ? .agrees : .differs("unfinished")
        case .stuck: return .differs("stuck")
        }
        if status == 200 {
            // An understood request may still meet a route that refuses it.
            if statuses.contains(where: { $0 < 300 && $0 > 0 }) { return .agrees }
            return statuses.contains { !byParser.contains($0) } ? .undecided : .differs("accepted, wanted \(statuses)")
        }
        return statuses.contains(status) ? .agrees : .differs("\(status), wanted \(statuses)")
    }
}
