internal import JSONScan

/// The address of made speech in an answer (contract yugu, section 6.1).
///
/// ## Why these bytes may differ from the platform's
/// Everything else that the platform answers passes untouched, to the byte. `/audio/…` does not, because it is no
/// address but half of one: its other half is the base URL that the request went to, which for the client is the
/// gateway's. There it leads nowhere. So the gateway finishes it as the contract tells every client to, and stores
/// what it gave: a replay is the same answer, also if the base URL is another one by then. An absolute address stays as
/// it is, unless the operator wants audio to come by way of the gateway (``SpeechRelay``); whatever else the answer
/// holds stays in any case.
enum SpeechAudioURL {
    /// An address that means the same to everyone.
    static func absolute(_ address: String, baseURL: String) -> String {
        address.hasPrefix("/audio/") ? baseURL + "/tts" + address : address
    }

    /// An answer with another `data.audioUrl`, and not one other byte changed.
    ///
    /// - Parameter replacement: Takes the address; what it returns stands there afterwards.
    static func replacing(in body: [UInt8], with replacement: (String) -> String) -> [UInt8] {
        let scanner = JSONScanner(body)
        guard let value = scanner.value(at: "data", "audioUrl"), let address = scanner.string(of: value) else {
            return body
        }
        let other = replacement(address)
        guard other != address else { return body }
        var writer = JSONWriter()
        writer.value(other)
        var answer = body
        answer.replaceSubrange(value.range, with: writer.bytes)
        return answer
    }
}
