internal import GatewayCore
internal import JSONScan

extension EvaluateForm {
    private static let coreTypes = ["alpha", "connected", "open", "passage", "pinyin", "sentence", "word"]

    private static let kinds: [String: ParameterObject.Kind] = [
        "coreType": .text, "referenceText": .text, "language": .text, "refPinyin": .text, "taskType": .text,
        "slack": .number, "scale": .number, "precision": .number, "agegroup": .number, "toneWeight": .number,
        "paragraphNeedWordScore": .number, "includeReport": .boolean, "includeStandardAudio": .boolean,
        "includeAsrText": .boolean, "phonemeOutput": .boolean, "realtimeFeedback": .boolean,
    ]

    /// A native evaluation, checked where the contract is certain (section 4.2).
    ///
    /// - Throws: 400/40001 that names the part or field.
    init(native form: ReceivedForm) throws(GatewayError) {
        guard let config = form.part(named: "config") else {
            throw .invalid("The form lacks the part 'config' with the evaluation's parameters as JSON.")
        }
        // Of a repeated member, the platform may read the other one.
        let members = try ParameterObject(config.text, called: "config", refusingDuplicates: true)
        let coreType = try Self.coreType(ofNative: members, called: "config")
        try self.init(form, coreType: coreType, config: config, fileParts: EvaluateSurface.native.fileParts)
    }

    /// The coreType of native parameters, which are those of a realtime round too.
    ///
    /// - Parameter name: What the object is called in messages.
    /// - Throws: 400/40001 that names the field.
    static func coreType(ofNative members: ParameterObject, called name: String) throws(GatewayError) -> String {
        try members.check(Self.kinds)
        guard let coreType = members.text("coreType"), Self.coreTypes.contains(coreType) else {
            throw .invalid("\(name) lacks a known 'coreType'; use one of \(Self.coreTypes.joined(separator: ", ")).")
        }
        guard let text = members.text("referenceText"), !text.isEmpty else {
            throw .invalid("\(name) lacks 'referenceText', the text that is read aloud.")
        }
        // The contract does not say what a character is. By code points it is too long however others are counted.
        guard text.unicodeScalars.count <= Self.maximumReferenceText else {
            throw .invalid("'referenceText' has more than \(Self.maximumReferenceText) characters; shorten it.")
        }
        guard coreType != "pinyin" || members.text("refPinyin")?.isEmpty == false else { throw .missingPinyin }
        return coreType
    }

    /// In characters (contract yugu, section 1).
    private static let maximumReferenceText = 1000
}

extension GatewayError {
    static let missingPinyin = GatewayError.invalid(
        "An evaluation of pinyin lacks 'refPinyin', the syllables with their tones, for instance chong2 qing4."
    )
}
