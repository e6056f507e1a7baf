/// Tells audio formats apart by their first bytes (contract yugu, section 4.1).
public enum AudioMediaType {
    /// The media type of content that begins with `prefix`; 12 bytes suffice.
    ///
    /// - Parameter fileName: Decides by its ending where the bytes do not.
    public static func sniff(_ prefix: [UInt8], fileName: String?) -> String {
        func has(_ text: String, at offset: Int = 0) -> Bool {
            prefix.dropFirst(offset).starts(with: text.utf8)
        }
        if WAVParser.isWAV(prefix) { return "audio/wav" }
        if has("ID3") { return "audio/mpeg" }
        if prefix.count >= 2, prefix[0] == 0xFF, prefix[1] & 0xE0 == 0xE0 { return "audio/mpeg" }
        if has("OggS") { return "audio/ogg" }
        if has("fLaC") { return "audio/flac" }
        if has("ftyp", at: 4) { return "audio/mp4" }
        switch fileName?.split(separator: ".").last?.lowercased() {
        case "wav": return "audio/wav"
        case "mp3": return "audio/mpeg"
        case "m4a", "mp4": return "audio/mp4"
        case "aac": return "audio/aac"
        case "ogg", "opus": return "audio/ogg"
        case "amr": return "audio/amr"
        case "flac": return "audio/flac"
        default: return "application/octet-stream"
        }
    }
}
