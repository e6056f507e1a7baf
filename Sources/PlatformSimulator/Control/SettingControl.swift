import JSONScan

extension PlatformResponder {
    /// The settings that can be changed while it runs.
    func settings() -> [UInt8] {
        let (processing, form, offset) = self.state.withLock { ($0.processingTime, $0.audioURLForm, $0.clockOffset) }
        var writer = JSONWriter()
        writer.object { object in
            object.member("processingMs", Int(processing / .milliseconds(1)))
            object.member("audioUrl", form.text)
            object.member("clockOffset", offset)
        }
        return writer.bytes
    }

    /// Reads `{"processingMs":50,"audioUrl":"path","clockOffset":-60}`; what is not there stays.
    func changeSettings(_ body: [UInt8]) throws(PlatformError) {
        let fields = try JSONFields(body, called: "the body")
        let processing = try fields.integer("processingMs", in: 0...3_600_000)
        let offset = try fields.integer("clockOffset", in: -Fault.clockRange...Fault.clockRange)
        var form: AudioURLForm?
        if let text = try fields.string("audioUrl") {
            form = AudioURLForm(text)
            guard form != nil else { throw .invalid("audioUrl is neither absolute nor path nor an address") }
        }
        let audioURLForm = form
        self.state.withLock { contents in
            if let processing { contents.processingTime = .milliseconds(processing) }
            if let audioURLForm { contents.audioURLForm = audioURLForm }
        }
        if let offset { self.state.setClockOffset(offset) }
    }
}
