import JSONScan

/// A file format of made speech (contract yugu, section 6.1).
enum SpeechFormat: String, Sendable, CaseIterable {
    case mp3
    case wav
    case ogg
}

/// What is to be spoken, and how: the checked body of a speech request (contract yugu, section 6.1).
struct SpeechOrder: Hashable, Sendable {
    var text: String
    var isChinese = true
    var voice: String?
    var format = SpeechFormat.mp3
    /// 0 to 100, as are the two others.
    var speed = 50
    var pitch = 50
    var volume = 50

    /// Takes a text with the platform's defaults.
    init(text: String) {
        self.text = text
    }

    /// Checks a body.
    ///
    /// - Throws: 400/40001 for a field that is missing, of the wrong type or outside its range.
    init(_ fields: JSONFields) throws(PlatformError) {
        guard let text = try fields.string("text"), text.contains(where: { !$0.isWhitespace }) else {
            throw .invalid("text is missing")
        }
        self.init(text: text)
        if let language = try fields.string("language", of: ["zh-CN", "en-US", "en-GB"]) {
            self.isChinese = language == "zh-CN"
        }
        self.voice = try fields.string("voice", of: self.isChinese ? ["xiaoyan", "xiaofeng"] : ["female", "male"])
        if let format = try fields.string("format", of: SpeechFormat.allCases.map(\.rawValue)) {
            self.format = SpeechFormat(rawValue: format) ?? .mp3
        }
        self.speed = try fields.integer("speed", in: 0...100) ?? 50
        self.pitch = try fields.integer("pitch", in: 0...100) ?? 50
        self.volume = try fields.integer("volume", in: 0...100) ?? 50
        // Without effect on what the simulator makes.
        _ = try fields.string("style")
    }

    /// About how many bytes it takes.
    var weight: Int { 256 + self.text.utf8.count }
}
