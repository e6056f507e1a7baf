/// The frames that the platform sends in a realtime session (contract yugu, section 10).
enum SessionFrame {
    static func connected(_ dialect: PlatformSession.Dialect) -> [UInt8] {
        switch dialect {
        case .native: Array(#"{"event":"connected","message":"stream channel ready"}"#.utf8)
        case .compat(let name): Array(#"{"event":"connected","coreType":"\#(name.rawValue)"}"#.utf8)
        }
    }

    static func started(_ dialect: PlatformSession.Dialect) -> [UInt8] {
        switch dialect {
        case .native: Array(#"{"event":"started"}"#.utf8)
        case .compat(let name): Array(#"{"event":"started","coreType":"\#(name.rawValue)"}"#.utf8)
        }
    }

    /// - Parameter time: In Unix milliseconds.
    static func pong(at time: Int) -> [UInt8] {
        Array(#"{"event":"pong","ts":\#(time)}"#.utf8)
    }

    /// - Parameter code: Present only when the cause is one of the platform's business errors.
    static func error(_ code: Int?, _ message: String) -> [UInt8] {
        var writer = AnswerWriter()
        writer.raw(#"{"event":"error","#)
        if let code {
            writer.raw(#""code":"#)
            writer.integer(code)
            writer.raw(",")
        }
        writer.raw(#""message":"#)
        writer.string(message)
        writer.raw("}")
        return writer.bytes
    }

    /// - Parameter reply: An evaluation's answer, which is the frame but for one member.
    static func result(_ reply: Reply) -> [UInt8] {
        guard reply.isReplayed else { return reply.body }
        return reply.body.dropLast() + Array(#","replayed":true}"#.utf8)
    }

    /// - Parameters:
    ///   - bytes: Audio that came over this connection.
    ///   - progress: Nil where reading cannot be followed.
    ///   - readCount: How many units to show as read, at most as many as are.
    ///   - newWords: The units that were not read in the frame before.
    static func progress(
        _ dialect: PlatformSession.Dialect,
        bytes: Int,
        _ progress: ReadingProgress?,
        readCount: Int,
        newWords: Range<Int>
    ) -> [UInt8] {
        var writer = AnswerWriter(reservingCapacity: 64 + 60 * (progress?.units.count ?? 0))
        if case .compat = dialect { writer.raw(#"{"recordId":"","eof":0,"result":{"bytes":"#) }
        if case .native = dialect { writer.raw(#"{"eof":0,"result":{"bytes":"#) }
        writer.integer(bytes)
        if let progress {
            writer.raw(#","progress":["#)
            writer.list(progress.units.indices) { writer, index in
                writer.raw(#"{"word":"#)
                writer.string(progress.units[index].text)
                writer.raw(index < readCount ? #","read":true"# : #","read":false"#)
                let isMatched = index < readCount && progress.matched[index]
                writer.raw(isMatched ? #","matched":true}"# : #","matched":false}"#)
            }
            writer.raw("]")
            if case .compat = dialect {
                writer.raw(#","words":["#)
                writer.list(newWords) { $0.newWord(progress.units[$1], isMatched: progress.matched[$1]) }
                writer.raw("]")
            }
        }
        writer.raw("}}")
        return writer.bytes
    }
}

extension AnswerWriter {
    /// Writes a unit that has just been read; its scores only say whether it agrees with the text.
    fileprivate mutating func newWord(_ unit: TextUnit, isMatched: Bool) {
        self.raw(#"{"word":"#)
        self.string(unit.text)
        self.raw(unit.isChinese ? #","charType":0"# : #","charType":1"#)
        self.raw(#","readType":0,"scores":{"overall":"#)
        self.integer(isMatched ? 100 : 0)
        self.raw(#","pronunciation":"#)
        self.integer(isMatched ? 100 : 0)
        self.raw("}}")
    }
}
