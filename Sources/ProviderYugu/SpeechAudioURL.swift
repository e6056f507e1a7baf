internal import JSONScan

/// The address of made speech in an answer (contract yugu, section 6.1).
///
/// ## Why these bytes may differ from the platform's
/// Everything else that the platform answers passes untouched, to the byte. `/audio/…` does not, because it is no
/// address but half of one: its other half is the base URL that the request went to, which for the client is the
/// gateway's. There it leads nowhere. So the gateway finishes it as the contract tells every client to, and stores
/// what it gave: a replay is the same answer, also if the base URL is another one by then. An absolute address, and
/// whatever else the answer holds, stays as it is.
enum SpeechAudioURL {
    /// An answer whose `data.audioUrl` means the same to everyone.
    static func makingAbsolute(_ body: [UInt8], baseURL: String) -> [UInt8] {
        let scanner = JSONScanner(body)
        guard let value = scanner.value(at: "data", "audioUrl"), let address = scanner.string(of: value),
            address.hasPrefix("/audio/")
        else { return body }
        var writer = JSONWriter()
        writer.value(baseURL + "/tts" + address)
        var absolute = body
        absolute.replaceSubrange(value.range, with: writer.bytes)
        return absolute
    }
}
