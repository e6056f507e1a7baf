internal import GatewayCore
internal import JSONScan

extension EvaluateForm {
    private static let coreTypes = ["alpha", "connected", "open", "passage", "pinyin", "sentence", "word"]

    /// A native evaluation, checked where the contract is certain (section 4.2).
    ///
    /// - Throws: 400/40001 that names the part or field.
    init(native form: ReceivedForm) throws(GatewayError) {
        guard let config = form.part(named: "config") else {
            throw .invalid("The form lacks the part 'config' with the evaluation's parameters as JSON.")
        }
        // Of a repeated member, the platform may read the other one.
        let members = try ParameterObject(config.text, called: "config", refusingDuplicates: true)
        let list = Self.coreTypes.joined(separator: ", ")
        guard let coreType = try members.text("coreType") else {
            throw .invalid("config lacks 'coreType'; use one of \(list).")
        }
        guard Self.coreTypes.contains(coreType) else {
            throw .invalid("config has an unknown 'coreType'; use one of \(list).")
        }
        guard let text = try members.text("referenceText"), !text.isEmpty else {
            throw .invalid("config lacks 'referenceText', the text that is read aloud.")
        }
        // The contract does not say what a character is. By code points it is too long however others are counted.
        guard text.unicodeScalars.count <= Self.maximumReferenceText else {
            throw .invalid("'referenceText' has more than \(Self.maximumReferenceText) characters; shorten it.")
        }
        for name in ["language", "taskType"] { _ = try members.text(name) }
        for name in ["slack", "scale", "precision", "agegroup", "toneWeight", "paragraphNeedWordScore"] {
            try members.checkNumber(name)
        }
        for name in [
            "includeReport", "includeStandardAudio", "includeAsrText", "phonemeOutput", "realtimeFeedback",
        ] {
            try members.checkBoolean(name)
        }
        let pinyin = try members.text("refPinyin")
        guard coreType != "pinyin" || pinyin?.isEmpty == false else { throw .missingPinyin }
        try self.init(form, coreType: coreType, config: config, fileParts: EvaluateSurface.native.fileParts)
    }

    /// In characters (contract yugu, section 1).
    private static let maximumReferenceText = 1000
}

extension GatewayError {
    static let missingPinyin = GatewayError.invalid(
        "An evaluation of pinyin lacks 'refPinyin', the syllables with their tones, for instance chong2 qing4."
    )
}
