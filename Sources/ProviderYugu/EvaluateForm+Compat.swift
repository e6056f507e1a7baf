internal import GatewayCore

extension EvaluateForm {
    /// A compat evaluation, checked where the contract is certain (section 5).
    ///
    /// What is sent stays as it came, `request` included: merging is the platform's, and only looked through here.
    ///
    /// - Throws: 400/40001 that names the part or field.
    init(compat form: ReceivedForm, name: CompatName) throws(GatewayError) {
        // Texts are known to be UTF-8 behind this.
        try self.init(form, coreType: name.rawValue, fileParts: EvaluateSurface.compat(name).fileParts)
        let fields = try CompatFields(form)
        let pinyin = fields["refPinyin"]
        guard name != .pinyin || pinyin != nil else { throw .missingPinyin }
        // What counts as Chinese when name and language disagree is not documented; then the platform decides.
        let readsChinese = name.isChinese || fields["language"]?.hasPrefix("zh") == true
        guard fields["refText"] != nil || (readsChinese && pinyin != nil) else {
            throw .invalid("The form lacks the part 'refText', the text that is read aloud.")
        }
        for name in ["agegroup", "scale", "precision", "slack"] { try fields.checkNumber(name) }
        for name in [
            "paragraph_need_word_score", "phoneme_output", "attachAudioUrl", "output_rawtext", "readtype_diagnosis",
        ] {
            try fields.checkFlag(name)
        }
    }
}

/// The business parameters of a compat evaluation: its text fields, and the scalars of `request` behind them.
private struct CompatFields {
    private let form: ReceivedForm
    private let request: ParameterObject?

    init(_ form: ReceivedForm) throws(GatewayError) {
        self.form = form
        let request = form.part(named: "request")?.text ?? []
        self.request = request.isEmpty ? nil : try ParameterObject(request, called: "request")
    }

    /// A value; an empty one counts as missing (contract yugu, section 3.3).
    subscript(_ name: String) -> String? {
        let field = self.form.part(named: name).map { String(decoding: $0.text, as: UTF8.self) }
        if let field, !field.isEmpty { return field }
        return self.request?.scalar(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    func checkNumber(_ name: String) throws(GatewayError) {
        guard let text = self[name], Double(text) == nil else { return }
        throw .invalid("'\(name)' must be a number.")
    }

    /// `1` and `0`; in the JSON of `request` also true and false.
    func checkFlag(_ name: String) throws(GatewayError) {
        guard let text = self[name], !["0", "1", "true", "false"].contains(text) else { return }
        throw .invalid("'\(name)' must be 1 or 0.")
    }
}
