import HTTPWire
import JSONScan

/// The `config` part of a native evaluation (contract yugu, section 4.2).
struct ConfigPart {
    private let fields: JSONFields

    /// Takes the text of the part.
    ///
    /// - Throws: 400/40001 when it is no JSON object.
    init(_ bytes: [UInt8]) throws(PlatformError) {
        self.fields = try JSONFields(bytes, called: "config")
    }

    /// The JSON text, checked.
    var scanner: JSONScanner { self.fields.scanner }

    /// Checks what is to be evaluated.
    ///
    /// The order is the platform's: coreType, referenceText, then the rest.
    ///
    /// - Throws: 400/40001 for a field outside its range.
    func input() throws(PlatformError) -> EvaluationInput {
        let fields = self.fields
        guard let name = try fields.string("coreType"), let coreType = CoreType(rawValue: name) else {
            throw .invalid("coreType is missing or unknown")
        }
        guard let text = try fields.string("referenceText"), text.contains(where: { !$0.isWhitespace }) else {
            throw .invalid("referenceText is missing")
        }
        guard text.utf16.count <= EvaluationInput.maximumText else {
            throw .invalid("referenceText is longer than 1000 characters")
        }
        let language = try fields.string("language", of: ["en-US", "en-GB", "zh-CN"]) ?? "en-US"
        // Pinyin is Chinese, whatever the language says.
        let isChinese = language == "zh-CN" || coreType == .pinyin
        var input = EvaluationInput(coreType: coreType, referenceText: text, isChinese: isChinese)
        input.includesReport = try fields.bool("includeReport")
        input.includesStandardAudio = try fields.bool("includeStandardAudio")
        input.includesASRText = try fields.bool("includeAsrText")
        if let scale = try fields.integer("scale", in: 1...100) { input.scale = scale }
        input.precision = try fields.number("precision", in: Double.leastNonzeroMagnitude...1)
        if let group = try fields.integer("agegroup", in: 1...3) { input.ageGroup = group }
        if let details = try fields.integer("paragraphNeedWordScore", in: 0...1) {
            input.includesDetails = details == 1
        }
        // Without effect on what the simulator answers.
        _ = try fields.number("slack", in: -1...1)
        _ = try fields.number("toneWeight", in: 0...1)
        _ = try fields.bool("phonemeOutput")
        _ = try fields.bool("realtimeFeedback")
        input.refPinyin = EvaluationInput.syllables(try fields.string("refPinyin"))
        guard coreType != .pinyin || !input.refPinyin.isEmpty else { throw .missingPinyin }
        if let type = try fields.string("taskType", of: ["picture", "situational", "free"]) { input.taskType = type }
        return input
    }
}

extension PlatformError {
    /// In the platform's own words.
    static let missingPinyin = PlatformError.invalid("coreType=pinyin 时 refPinyin 必填（如 \"chong2 qing4\"）")
}
