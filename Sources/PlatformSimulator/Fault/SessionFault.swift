import HTTPWire

/// Something that goes wrong on purpose in a realtime session (contract yugu, section 15).
enum SessionFault: Hashable, Sendable {
    /// When it happens.
    enum Moment: Hashable, Sendable {
        /// The handshake is answered, and nothing more.
        case open
        /// The frame with this number has come, counted from 1.
        case frame(Int)
        /// So many bytes of audio have come over this connection.
        case bytes(Int)
        /// The end frame has come; nothing is evaluated.
        case end
        /// The evaluation is done, billed and stored; its result is not sent.
        case billed
    }

    /// What happens.
    enum Effect: Hashable, Sendable {
        /// The connection is reset without a close frame.
        case kill
        /// A close frame with this code.
        case close(WebSocketCloseCode)
        /// An error frame; without code where that is nil.
        case error(Int?)
        /// A text frame.
        case say(String)
        /// Nothing is answered from now on, and pings never were.
        case silent
        /// Nothing is read nor said from now on, not even a close, as over a dead link.
        case freeze
    }

    /// Ways for reading progress to be wrong.
    enum Progress: String, Hashable, Sendable {
        /// Every third frame falls back to an earlier position.
        case back
        /// The tracker is unavailable: frames carry bytes only.
        case bytes
        /// No frames at all.
        case none
    }

    case at(Moment, Effect)
    /// The handshake is answered with 503.
    case refuse
    case delayConnected(Duration)
    case delayStarted(Duration)
    /// The evaluation is billed in time; its result is late.
    case delayResult(Duration)
    case progress(Progress)

    /// Reads what stands behind `ws-`: the documented verbs, and `<effect>-<moment>` with the arguments of both.
    init?(verb: Substring, _ argument: String?) {
        let arguments = argument?.split(separator: ":", omittingEmptySubsequences: false)[...] ?? []
        let fault: SessionFault? =
            switch verb {
            case "refuse": argument == nil ? .refuse : nil
            case "delay-connected": argument.flatMap(Fault.milliseconds).map { .delayConnected($0) }
            case "delay-started": argument.flatMap(Fault.milliseconds).map { .delayStarted($0) }
            case "delay-result": argument.flatMap(Fault.milliseconds).map { .delayResult($0) }
            case "progress": argument.flatMap(Progress.init).map { .progress($0) }
            case "silent": Self.at("silent", "after", arguments)
            case "error": Self.at("error", "end", arguments)
            default:
                verb.firstIndex(of: "-").flatMap { dash in
                    Self.at(verb[..<dash], verb[verb.index(after: dash)...], arguments)
                }
            }
        guard let fault else { return nil }
        self = fault
    }

    private static func at(
        _ effect: Substring,
        _ moment: Substring,
        _ arguments: ArraySlice<Substring>
    ) -> SessionFault? {
        var rest = arguments
        func count() -> Int? { rest.popFirst().flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
        let found: Moment? =
            switch moment {
            case "open": .open
            case "after": count().map { .frame($0) }
            case "bytes": count().map { .bytes($0) }
            case "end": .end
            case "billed": .billed
            default: nil
            }
        guard let found, let effect = Self.effect(effect, rest.popFirst()), rest.isEmpty else { return nil }
        return .at(found, effect)
    }

    private static func effect(_ name: Substring, _ argument: Substring?) -> Effect? {
        switch (name, argument) {
        case ("kill", nil): .kill
        case ("silent", nil): .silent
        case ("freeze", nil): .freeze
        case ("close", nil): .close(.internalError)
        case ("close", let code?): UInt16(code).flatMap { WebSocketCloseCode(rawValue: $0) }.map { .close($0) }
        case ("error", nil): .error(50_200)
        case ("error", "none"): .error(nil)
        case ("error", let code?): PlatformCode(String(code)).map { .error($0.code) }
        case ("say", let text?): PercentCoding.decode(String(text)).map { .say($0) }
        default: nil
        }
    }
}
