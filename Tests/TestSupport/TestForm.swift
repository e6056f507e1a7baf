/// A multipart/form-data body written out by hand.
public struct TestForm: Sendable {
    /// The boundary.
    public let boundary: String
    private var parts: [UInt8] = []

    /// An empty form.
    public init(boundary: String = "test-boundary-7f3a") {
        self.boundary = boundary
    }

    /// The field to send with the form.
    public var contentType: (String, String) { ("Content-Type", "multipart/form-data; boundary=\(self.boundary)") }

    /// The whole body.
    public var bytes: [UInt8] { self.parts + Array("--\(self.boundary)--\r\n".utf8) }

    /// Adds a part; nil leaves a parameter or field out.
    public func adding(
        _ name: String,
        _ content: [UInt8],
        filename: String? = nil,
        contentType: String? = nil
    ) -> TestForm {
        var form = self
        var head = "--\(self.boundary)\r\nContent-Disposition: form-data; name=\"\(name)\""
        if let filename { head += "; filename=\"\(filename)\"" }
        if let contentType { head += "\r\nContent-Type: \(contentType)" }
        form.parts += Array((head + "\r\n\r\n").utf8) + content + Array("\r\n".utf8)
        return form
    }

    /// A native evaluation as a client sends it.
    public static func evaluation(
        config: String = #"{"coreType":"sentence","referenceText":"今天天气很好","language":"zh-CN"}"#,
        audio: [UInt8] = TestAudio.wav()
    ) -> TestForm {
        TestForm()
            .adding("config", Array(config.utf8), contentType: "application/json")
            .adding("audio", audio, filename: "speech.wav", contentType: "audio/wav")
    }

    /// A compat evaluation as a client sends it.
    public static func compat(
        _ texts: [(String, String)] = [("refText", "今天天气很好"), ("language", "zh-CN")],
        audio: [UInt8] = TestAudio.wav()
    ) -> TestForm {
        texts.reduce(TestForm()) { $0.adding($1.0, Array($1.1.utf8)) }
            .adding("audio", audio, filename: "speech.wav", contentType: "audio/wav")
    }
}
