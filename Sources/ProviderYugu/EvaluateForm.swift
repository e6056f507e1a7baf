internal import GatewayCore
internal import JSONScan

/// The parts of a native evaluation, checked where the contract is certain (section 4).
struct EvaluateForm: Sendable {
    static let fileParts: Set<String> = ["audio", "image"]
    private static let coreTypes: Set<String> = [
        "word", "sentence", "passage", "connected", "open", "alpha", "pinyin",
    ]

    let form: ReceivedForm
    let config: ReceivedForm.Part
    let audio: ReceivedForm.Part
    let coreType: String

    /// - Throws: 400/40001 that names the part or field.
    init(_ form: ReceivedForm) throws(GatewayError) {
        guard let config = form.part(named: "config") else {
            throw .invalid("The form lacks the part 'config' with the evaluation's parameters as JSON.")
        }
        let scanner = JSONScanner(config.text)
        guard (try? scanner.validate())?.kind == .object else {
            throw .invalid("The part 'config' is not a JSON object.")
        }
        guard let coreType = scanner.value(at: "coreType").flatMap(scanner.string) else {
            throw .invalid("config lacks 'coreType'; use one of \(Self.coreTypeList).")
        }
        guard Self.coreTypes.contains(coreType) else {
            throw .invalid("config has an unknown 'coreType'; use one of \(Self.coreTypeList).")
        }
        guard let text = scanner.value(at: "referenceText").flatMap(scanner.string), !text.isEmpty else {
            throw .invalid("config lacks 'referenceText', the text that is read aloud.")
        }
        guard let audio = form.part(named: "audio") else {
            throw .invalid("The form lacks the part 'audio' with the recording.")
        }
        guard audio.count > 0 else { throw .invalid("The part 'audio' is empty.") }
        self.form = form
        self.config = config
        self.audio = audio
        self.coreType = coreType
    }

    private static var coreTypeList: String { Self.coreTypes.sorted().joined(separator: ", ") }
}
