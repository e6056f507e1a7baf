/// Speech that was made and paid for.
final class MadeSpeech: Sendable {
    /// What was ordered.
    let order: SpeechOrder
    /// The name of its file, such as `0c02b59749694e518fa8c6c6a78c2377.mp3`.
    let fileName: String
    /// Where the answer says that the file is.
    let audioURL: String

    init(order: SpeechOrder, fileName: String, audioURL: String) {
        self.order = order
        self.fileName = fileName
        self.audioURL = audioURL
    }

    /// The answer in its envelope (contract yugu, section 6.1).
    ///
    /// - Parameter time: When it was made, in Unix milliseconds.
    func answer(time: Int) -> [UInt8] {
        var writer = AnswerWriter()
        writer.raw(#"{"code":0,"message":"success","data":{"audioUrl":"#)
        writer.string(self.audioURL)
        writer.raw(#","duration":""#)
        writer.seconds(SpeechTones(self.order).duration)
        writer.raw(#"","format":"#)
        writer.string(self.order.format.rawValue)
        writer.raw(#","warnings":[]},"timestamp":"#)
        writer.integer(time)
        writer.raw("}")
        return writer.bytes
    }

    /// About how many bytes it takes.
    var weight: Int { self.order.weight + self.audioURL.utf8.count + self.fileName.utf8.count }
}

/// The files of made speech by their names; bounded, and the oldest leave first.
struct SpeechShelf: Sendable {
    private let budget: Int
    private var speeches: [String: MadeSpeech] = [:]
    private var order = AgeQueue<MadeSpeech>()
    private var weight = 0

    /// An empty shelf for so many bytes.
    init(budget: Int) {
        self.budget = budget
    }

    /// The speech in a file.
    subscript(_ fileName: String) -> MadeSpeech? { self.speeches[fileName] }

    /// Keeps a speech.
    mutating func add(_ speech: MadeSpeech) {
        self.speeches[speech.fileName] = speech
        self.order.append(speech)
        self.weight += speech.weight
        while self.weight > self.budget, self.order.count > 1, let oldest = self.order.popFirst() {
            self.speeches[oldest.fileName] = nil
            self.weight -= oldest.weight
        }
    }
}
