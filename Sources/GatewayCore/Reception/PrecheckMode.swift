public import HTTPWire
public import SpeechAudio

/// What is made of a recording that the precheck finds fault with (contract yugu, section 11).
public enum PrecheckMode: String, Sendable, CaseIterable {
    /// Recordings are not looked at.
    case off
    /// The answer says what was found, beside what it says otherwise.
    case warn
    /// A recording that cannot be scored is refused before anything is claimed or sent; of lesser faults the answer says.
    case reject

    /// Why a recording is not sent, or nil.
    public func refusal(_ verdict: AudioPrecheck.Verdict?) -> GatewayError? {
        guard self == .reject, let finding = verdict?.rejection else { return nil }
        return GatewayError(
            status: 400,
            code: GatewayCode(finding.code),
            origin: .client,
            message: finding.message,
            reason: finding.code.name
        )
    }

    /// The value of `SpeechGate-Warnings`, or nil: a list of codes, each with a name and what was found.
    ///
    /// It is a structured field (RFC 9651, section 3.1): `90104;name="audio_quiet";message="The level is …"`. Messages
    /// are printable ASCII without quotes and backslashes, so that nothing has to be escaped.
    public func warnings(_ verdict: AudioPrecheck.Verdict?) -> String? {
        guard self != .off, let findings = verdict?.findings, !findings.isEmpty else { return nil }
        return findings.map { finding in
            "\(finding.code.rawValue);name=\"\(finding.code.name)\";message=\"\(finding.message)\""
        }.joined(separator: ", ")
    }
}

extension PrecheckMode {
    /// What a realtime client hears of the findings; nil for nothing.
    func findings(_ verdict: AudioPrecheck.Verdict) -> [RealtimeWarning]? {
        guard self != .off, !verdict.findings.isEmpty else { return nil }
        return verdict.findings.map {
            RealtimeWarning(code: $0.code.rawValue, name: $0.code.name, message: $0.message)
        }
    }
}

extension HTTPField.Name {
    /// What the precheck has found in the recording, beside an answer or an error that is not about it.
    public static let warnings = HTTPField.Name(literal: "SpeechGate-Warnings")
}

extension GatewayCode {
    fileprivate init(_ code: AudioPrecheck.Finding.Code) {
        self =
            switch code {
            case .tooShort: .audioTooShort
            case .tooLong: .audioTooLong
            case .silent: .audioSilent
            case .quiet: .audioQuiet
            case .unsuitableFormat: .audioFormatUnsuitable
            }
    }
}
