internal import GatewayCore
internal import JSONScan

extension RoundParameters {
    /// A native start frame, checked where the contract is certain (section 10.1).
    ///
    /// - Throws: 400/40001 that names the member.
    init(native frame: [UInt8], _ scanner: JSONScanner, root: JSONValueRange) throws(GatewayError) {
        let members = ParameterObject(scanner, root: root)
        try self.init(
            frame: frame,
            scanner: scanner,
            coreType: try EvaluateForm.coreType(ofNative: members, called: "The start frame")
        )
    }

    /// A compat parameter frame, checked where the contract is certain (section 10.2).
    ///
    /// - Throws: 400/40001 that names the member.
    init(
        compat frame: [UInt8],
        _ scanner: JSONScanner,
        root: JSONValueRange,
        name: CompatName
    ) throws(GatewayError) {
        let members = ParameterObject(scanner, root: root)
        for text in ["refText", "text", "language", "refPinyin"] where members.kind(text).map({ $0 != .string }) == true
        {
            throw .invalid("'\(text)' must be a string.")
        }
        let hasPinyin = members.text("refPinyin")?.isEmpty == false
        let text = members.text("refText") ?? members.text("text") ?? ""
        guard name != .pinyin || hasPinyin else { throw .missingPinyin }
        // What counts as Chinese when name and language disagree is not documented; then the platform decides.
        let readsChinese = name.isChinese || members.text("language")?.hasPrefix("zh") == true
        guard !text.isEmpty || readsChinese && hasPinyin else {
            throw .invalid("The parameter frame lacks 'refText', the text that is read aloud.")
        }
        for number in ["agegroup", "scale", "precision", "slack"] {
            guard let value = members.scalar(number), Double(value) == nil else { continue }
            throw .invalid("'\(number)' must be a number.")
        }
        let flags = [
            "realtime_feedback", "paragraph_need_word_score", "phoneme_output", "attachAudioUrl", "output_rawtext",
            "readtype_diagnosis",
        ]
        for flag in flags {
            guard let value = members.scalar(flag), !["0", "1", "true", "false"].contains(value) else { continue }
            throw .invalid("'\(flag)' must be true or false.")
        }
        try self.init(frame: frame, scanner: scanner, coreType: name.rawValue)
    }
}
