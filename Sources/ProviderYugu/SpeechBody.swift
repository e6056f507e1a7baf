internal import GatewayCore
internal import JSONScan

/// The body of a request for speech, checked where the contract is certain (contract yugu, section 6.1).
///
/// Members that the contract does not know pass. So does any `voice`: the voices are the platform's stock, and it may
/// have more than are documented.
struct SpeechBody: Sendable {
    private static let languages = ["zh-CN", "en-US", "en-GB"]
    private static let formats = ["mp3", "wav", "ogg"]

    let json: ReceivedJSON
    /// The text that is signed (contract yugu, section 3.4).
    let payload: String

    /// - Throws: 400/40001 that names the member.
    init(_ json: ReceivedJSON) throws(GatewayError) {
        self.json = json
        do {
            self.payload = RequestSignature.payload(of: try json.scanner.scalarMembers(of: json.root))
        } catch {
            let name = json.scanner.memberName(at: error.offset)?.prefix(64) ?? ""
            throw .invalid("The member '\(name)' cannot be signed: \(error).")
        }
        guard let text = try self.string("text"), !text.isEmpty else {
            throw .invalid("The body lacks 'text', the text that is to be spoken.")
        }
        try self.check("language", isOneOf: Self.languages)
        try self.check("format", isOneOf: Self.formats)
        _ = try self.string("voice")
        _ = try self.string("style")
        for name in ["speed", "pitch", "volume"] { try self.checkPercentage(name) }
    }

    /// The value of a member; null counts as none, as for the signature.
    private func value(_ name: String) -> JSONValueRange? {
        self.json.scanner.value(at: name).flatMap { $0.kind == .null ? nil : $0 }
    }

    private func string(_ name: String) throws(GatewayError) -> String? {
        guard let value = self.value(name) else { return nil }
        guard let text = self.json.scanner.string(of: value) else { throw .invalid("'\(name)' must be a string.") }
        return text
    }

    /// An empty text passes: it is not signed either, and may stand for the default.
    private func check(_ name: String, isOneOf values: [String]) throws(GatewayError) {
        guard let text = try self.string(name), !text.isEmpty, !values.contains(text) else { return }
        throw .invalid("'\(name)' must be one of \(values.joined(separator: ", ")).")
    }

    /// A whole number from 0 to 100, however it is written: `50`, `50.0` and `5e1` are one.
    private func checkPercentage(_ name: String) throws(GatewayError) {
        guard let value = self.value(name) else { return }
        let text = value.kind == .number ? try? self.json.scanner.scalarText(of: value) : nil
        guard let number = text.flatMap({ Int($0) }), (0...100).contains(number) else {
            throw .invalid("'\(name)' must be a whole number from 0 to 100.")
        }
    }
}
