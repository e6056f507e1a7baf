import JSONScan

/// The ten names of the compat endpoints (contract yugu, section 5).
enum CompatName: String, Sendable, CaseIterable {
    case word = "word.eval"
    case wordPro = "word.eval.pro"
    case sentence = "sent.eval"
    case sentencePro = "sent.eval.pro"
    case paragraph = "para.eval"
    case alpha = "alpha.eval"
    case wordChinese = "word.eval.cn"
    case sentenceChinese = "sent.eval.cn"
    case paragraphChinese = "para.eval.cn"
    case pinyin = "pinyin"

    /// The native kind of the task (contract yugu, section 12).
    var coreType: CoreType {
        switch self {
        case .word, .wordPro, .wordChinese: .word
        case .sentence, .sentencePro, .sentenceChinese: .sentence
        case .paragraph, .paragraphChinese: .passage
        case .alpha: .alpha
        case .pinyin: .pinyin
        }
    }

    /// Whether Chinese is read.
    var isChinese: Bool {
        switch self {
        case .wordChinese, .sentenceChinese, .paragraphChinese, .pinyin: true
        case .word, .wordPro, .sentence, .sentencePro, .paragraph, .alpha: false
        }
    }
}

/// The text fields of a compat evaluation, with the members of `request` among them (contract yugu, section 5).
struct CompatForm {
    private let name: CompatName
    private var values: [String: String] = [:]

    /// Takes the text parts; the first of a name counts, and a part counts before a member of `request`.
    ///
    /// - Throws: 400/40001 when `request` is no JSON object.
    init(_ name: CompatName, texts: [EvaluateUpload.Text]) throws(PlatformError) {
        self.name = name
        for text in texts { self.add(text.name, text.string) }
        guard let request = self.values["request"] else { return }
        let scanner = try JSONFields(Array(request.utf8), called: "request").scanner
        for (name, value) in SignedText.scalars(of: scanner) { self.add(name, value) }
    }

    /// Takes the scalar members of a realtime parameter frame, where `text` stands for `refText` as well (contract yugu,
    /// section 10.2).
    init(_ name: CompatName, parameters: JSONScanner) {
        self.name = name
        for (name, value) in SignedText.scalars(of: parameters) { self.add(name, value) }
        if let text = self.values["text"] { self.add("refText", text) }
    }

    /// An empty value counts as missing.
    private mutating func add(_ name: String, _ value: String) {
        if !value.isEmpty, self.values[name] == nil { self.values[name] = value }
    }

    /// Checks what is to be evaluated.
    ///
    /// - Throws: 400/40001 for a field that is missing or outside its range.
    func input() throws(PlatformError) -> EvaluationInput {
        let pinyin = EvaluationInput.syllables(self.values["refPinyin"])
        guard self.name != .pinyin || !pinyin.isEmpty else { throw .missingPinyin }
        let text = self.values["refText"] ?? ""
        let hasText = text.contains { !$0.isWhitespace }
        guard hasText || (self.name.isChinese && !pinyin.isEmpty) else { throw .invalid("refText is missing") }
        guard text.utf16.count <= EvaluationInput.maximumText else {
            throw .invalid("refText is longer than 1000 characters")
        }
        if let language = self.values["language"] {
            guard language.hasPrefix("zh") || language.hasPrefix("en") else { throw .invalid("language is unknown") }
        }
        var input = EvaluationInput(
            coreType: self.name.coreType,
            referenceText: hasText ? text : "",
            isChinese: self.name.isChinese
        )
        input.compatName = self.name
        input.refPinyin = pinyin
        if let scale = try self.number("scale", in: 1...100) {
            guard let whole = Int(exactly: scale) else { throw .invalid("scale is not a whole number") }
            input.scale = whole
        }
        input.precision = try self.number("precision", in: Double.leastNonzeroMagnitude...1)
        if let group = try self.number("agegroup", in: 1...3) {
            guard let whole = Int(exactly: group) else { throw .invalid("agegroup is not a whole number") }
            input.ageGroup = whole
        }
        // Sentences have their words always, paragraphs when they are asked for.
        let wantsDetails = try self.flag("paragraph_need_word_score")
        input.includesDetails = self.name.coreType != .passage || wantsDetails
        // Without effect on what the simulator answers.
        _ = try self.number("slack", in: -1...1)
        for name in ["phoneme_output", "output_rawtext", "readtype_diagnosis"] { _ = try self.flag(name) }
        if let dialect = self.values["dict_dialect"], dialect != "en_br", dialect != "en_us" {
            throw .invalid("dict_dialect is neither en_br nor en_us")
        }
        return input
    }

    /// Whether the answer is to name the address of the recording.
    func attachesAudioURL() throws(PlatformError) -> Bool {
        try self.flag("attachAudioUrl")
    }

    private func number(_ name: String, in range: ClosedRange<Double>) throws(PlatformError) -> Double? {
        guard let text = self.values[name] else { return nil }
        guard let number = Double(text), range.contains(number) else { throw .invalid("\(name) is out of range") }
        return number
    }

    /// `1` and `0`; in `request` and in realtime also true and false.
    func flag(_ name: String) throws(PlatformError) -> Bool {
        switch self.values[name] {
        case "1", "true": true
        case "0", "false", nil: false
        default: throw .invalid("\(name) is neither 1 nor 0")
        }
    }
}
