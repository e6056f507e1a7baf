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
        let scanner = try Self.scanner(of: config)
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
        for part in form.parts { try Self.checkSigned(part) }
        self.form = form
        self.config = config
        self.audio = audio
        self.coreType = coreType
    }

    private static func scanner(of config: ReceivedForm.Part) throws(GatewayError) -> JSONScanner {
        let fault: String
        do {
            // Of a repeated member, the platform may read the other one.
            let scanner = try JSONScanner(validating: config.text, refusingDuplicateMembers: true)
            if scanner.root?.kind == .object { return scanner }
            fault = "another JSON value"
        } catch {
            fault = error.description
        }
        throw .invalid("The part 'config' is not a JSON object: \(fault).")
    }

    /// Refuses texts that the platform could read otherwise than they were signed: the signature would fail, and that
    /// counts against the account of all clients.
    private static func checkSigned(_ part: ReceivedForm.Part) throws(GatewayError) {
        guard !Self.fileParts.contains(part.name) else { return }
        guard !part.name.isEmpty, part.name.utf8.allSatisfy(Self.isPlain) else {
            throw .invalid("A part's name may hold printable ASCII characters only, and no space, quote, \\ or %.")
        }
        guard String(validating: part.text, as: UTF8.self) != nil else {
            throw .invalid("The part '\(part.name.prefix(64))' is not UTF-8.")
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && ![UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "%")].contains(byte)
    }

    private static var coreTypeList: String { Self.coreTypes.sorted().joined(separator: ", ") }
}
