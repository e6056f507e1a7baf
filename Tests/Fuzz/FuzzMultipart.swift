// Entry point of the fuzzer for multipart content; scripts/fuzz.sh compiles it together with HTTPWire.

/// The first byte says how long the pieces are, the rest is content with the boundary `b`, preceded by a Content-Type
/// up to the first line feed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMultipart(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: data + 1, count: count - 1)
    let line = bytes.prefix { $0 != 0x0A }
    let boundary = try? MultipartParser.boundary(ofContentType: String(decoding: line, as: UTF8.self))
    let content = UnsafeRawBufferPointer(rebasing: bytes[min(line.endIndex + 1, bytes.count)...])
    let whole = MultipartLog(content, boundary: boundary ?? "b", pieceSize: max(1, content.count))
    let pieces = MultipartLog(content, boundary: boundary ?? "b", pieceSize: max(1, Int(data[0])))
    precondition(whole == pieces, "the outcome depends on the cuts")
    whole.checkRoundTrip()
    return 0
}

/// What a consumer would have seen.
private struct MultipartLog: Equatable {
    var heads: [MultipartPartHead] = []
    var contents: [[UInt8]] = []
    var ends = 0
    var end = ""
    var isComplete = false

    init(_ bytes: UnsafeRawBufferPointer, boundary: String, pieceSize: Int) {
        var limits = MultipartLimits()
        limits.partCount = 5
        limits.partHeadBytes = 200
        limits.fieldCount = 4
        limits.preambleBytes = 20
        limits.epilogueBytes = 20
        limits.paddingBytes = 5
        var parser = MultipartParser(boundary: boundary, limits: limits)
        var start = 0
        do {
            while start < bytes.count {
                // A piece of its own: the address sanitizer sees every read beside it.
                let piece = Array(bytes[start..<min(bytes.count, start + pieceSize)])
                start += piece.count
                try piece.withUnsafeBytes { lent in
                    try parser.parse(lent) { event in self.take(event) }
                }
            }
            try parser.finish()
            precondition(self.ends == self.heads.count, "a part did not end")
        } catch {
            self.end = "\(error)"
        }
        self.isComplete = parser.isComplete
    }

    private mutating func take(_ event: MultipartEvent) {
        switch event {
        case .partBegan(let head):
            precondition(self.ends == self.heads.count, "a part inside a part")
            self.heads.append(head)
            self.contents.append([])
        case .partBytes(let piece):
            precondition(self.ends + 1 == self.heads.count && !piece.isEmpty, "content outside of a part")
            self.contents[self.contents.count - 1] += piece
        case .partEnded:
            self.ends += 1
            precondition(self.ends == self.heads.count, "an end without a part")
        }
    }

    /// What was read is encoded and read again, with a boundary that the content cannot hold.
    func checkRoundTrip() {
        guard self.end.isEmpty else { return }
        let boundary = "x" + String(repeating: "0123456789", count: 6)
        let encoder = MultipartEncoder(boundary: boundary)
        var bytes: [UInt8] = []
        for (head, content) in zip(self.heads, self.contents) {
            bytes += encoder.partHead(name: head.name, filename: head.filename, contentType: head.contentType)
            bytes += content + MultipartEncoder.partEnd
        }
        bytes += encoder.closing
        var parser = MultipartParser(boundary: boundary)
        var heads: [MultipartPartHead] = []
        var contents: [[UInt8]] = []
        do {
            try bytes.withUnsafeBytes { lent in
                try parser.parse(lent) { event in
                    switch event {
                    case .partBegan(let head):
                        heads.append(head)
                        contents.append([])
                    case .partBytes(let piece): contents[contents.count - 1] += piece
                    case .partEnded: break
                    }
                }
            }
            try parser.finish()
        } catch {
            preconditionFailure("what was encoded is refused: \(error)")
        }
        precondition(contents == self.contents, "content changed")
        precondition(heads == self.heads, "a head changed")
    }
}
