import Cryptography
import SpeechAudio

/// All that an evaluation follows from.
///
/// It is some fifteen times smaller than the answer, which it gives again to the byte: so a day's answers need not be
/// kept.
final class EvaluationRecipe: Sendable {
    /// The digest of the request.
    let fingerprint: Digest256
    /// What was to be evaluated.
    let input: EvaluationInput
    /// The recording.
    let audio: AudioFacts

    init(fingerprint: Digest256, input: EvaluationInput, audio: AudioFacts) {
        self.fingerprint = fingerprint
        self.input = input
        self.audio = audio
    }

    /// About how many bytes it takes.
    var weight: Int {
        let text = self.input.referenceText.utf8.count + self.input.refPinyin.count * 16
        return 512 + text + (self.audio.meter?.windowCount ?? 0) * 4 + self.audio.voiced.count * 16
    }
}

/// The texts that one evaluation is answered with, without what is fresh in each: record id and times.
final class RenderedEvaluation: Sendable {
    /// How record ids of this kind begin.
    let prefix: StaticString
    /// What follows the record id in the answer, up to its end or to the address of the recording.
    let answerTail: [UInt8]
    private let isCompat: Bool
    private let isRealtime: Bool
    private let recordingURL: RecordingURL?
    /// What follows the record id in the `data` of the report, up to the end of that object.
    let reportTail: [UInt8]
    /// The total on the scale that was asked for.
    let overall: Double

    /// Scores a recording and writes the outcome down.
    init(_ input: EvaluationInput, audio: AudioFacts) {
        let evaluation = Scorer.evaluate(input, audio: audio)
        let capacity = 4_096 + input.referenceText.utf8.count * 1_600
        var writer = AnswerWriter(
            scale: input.scale,
            precision: input.precision,
            reservingCapacity: min(capacity, 1 << 20)
        )
        switch input.coreType {
        case _ where input.compatName != nil:
            self.prefix = "eval_"
            writer.compatAnswer(evaluation, input: input)
        case .connected:
            self.prefix = "conn_"
            writer.connectedAnswer(evaluation, input: input)
        case .open:
            self.prefix = "open_"
            writer.openAnswer(evaluation, input: input, audio: audio)
        default:
            self.prefix = "eval_"
            writer.readingAnswer(evaluation, input: input)
        }
        self.answerTail = writer.bytes
        self.isCompat = input.compatName != nil
        self.isRealtime = input.isRealtime
        self.recordingURL = input.recordingURL
        var report = AnswerWriter(scale: input.scale, precision: input.precision, reservingCapacity: 2_048)
        report.reportRecord(evaluation, input: input)
        self.reportTail = report.bytes
        self.overall = (evaluation.overall * Double(input.scale) / 10).rounded() / 10
    }

    /// The whole answer, which is the result frame of a realtime evaluation (contract yugu, sections 10.1 and 10.2).
    ///
    /// - Parameter day: When it was evaluated.
    func answer(recordID: String, day: CalendarDay) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.answerTail.count + 200)
        let isNativeFrame = self.isRealtime && !self.isCompat
        bytes.append(contentsOf: (isNativeFrame ? #"{"event":"result","recordId":""# : #"{"recordId":""#).utf8)
        bytes.append(contentsOf: recordID.utf8)
        bytes.append(contentsOf: "\",".utf8)
        bytes.append(contentsOf: self.answerTail)
        guard self.isCompat else { return bytes }
        if let url = self.recordingURL {
            var writer = AnswerWriter()
            writer.raw(#","audioUrl":"#)
            writer.string(url.text(recordID: recordID, day: day))
            bytes.append(contentsOf: writer.bytes)
        }
        bytes.append(contentsOf: #","eof":1}"#.utf8)
        return bytes
    }

    /// The whole report, in its envelope.
    func report(recordID: String, timestamp: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.reportTail.count + 128)
        bytes.append(contentsOf: #"{"code":0,"message":"success","data":{"recordId":""#.utf8)
        bytes.append(contentsOf: recordID.utf8)
        bytes.append(contentsOf: "\",".utf8)
        bytes.append(contentsOf: self.reportTail)
        bytes.append(contentsOf: #","timestamp":"#.utf8)
        bytes.append(contentsOf: String(timestamp).utf8)
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }
}
