// Entry point of the fuzzer for request heads and their content; scripts/fuzz.sh compiles it together with HTTPWire.

/// The first byte says how long the pieces are, the rest is what a client sent.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP1Request(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 1 else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: data + 1, count: count - 1)
    let whole = HTTP1Log(bytes, pieceSize: bytes.count)
    let pieces = HTTP1Log(bytes, pieceSize: max(1, Int(data[0])))
    precondition(whole == pieces, "the outcome depends on the cuts")
    for size in whole.contentSizes { precondition(size <= bytes.count, "content out of nowhere") }
    return 0
}

/// What a connection would have seen.
private struct HTTP1Log: Equatable {
    var heads: [String] = []
    var content: [UInt8] = []
    var contentSizes: [Int] = []
    var end = ""

    init(_ bytes: UnsafeRawBufferPointer, pieceSize: Int) {
        var limits = HTTP1Limits()
        limits.requestLine = 100
        limits.headBytes = 300
        limits.fieldCount = 10
        limits.chunkLine = 60
        limits.chunkOverhead = 100
        limits.trailerBytes = 100
        var parser = HTTP1RequestParser(limits: limits)
        var decoder: HTTP1BodyDecoder?
        var start = 0
        do {
            while start < bytes.count {
                // A piece of its own: the address sanitizer sees every read beside it.
                let piece = Array(bytes[start..<min(bytes.count, start + pieceSize)])
                start += piece.count
                try piece.withUnsafeBytes { lent in
                    var rest = lent
                    while !rest.isEmpty {
                        let consumed = try self.step(&parser, &decoder, rest, limits)
                        precondition(consumed > 0 && consumed <= rest.count, "no progress")
                        rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
                    }
                }
            }
        } catch let rejection as HTTPRejection {
            self.end = "\(rejection.status.code) \(rejection.message)"
        } catch {
            self.end = "\(error)"
        }
    }

    private mutating func step(
        _ parser: inout HTTP1RequestParser,
        _ decoder: inout HTTP1BodyDecoder?,
        _ bytes: UnsafeRawBufferPointer,
        _ limits: HTTP1Limits
    ) throws -> Int {
        var consumed = 0
        if var current = decoder {
            var found: [UInt8] = []
            defer {
                self.content += found
                self.contentSizes[self.contentSizes.count - 1] += found.count
            }
            let isComplete = try current.decode(bytes, consumed: &consumed) { found += $0 }
            decoder = isComplete ? nil : current
        } else if let head = try parser.parse(bytes, consumed: &consumed) {
            let fields = (0..<head.fields.count).map { "\(head.fields.name(at: $0)): \(head.fields.value(at: $0))" }
            self.heads.append(
                "\(head.method) \(head.target) \(head.path) \(head.query ?? "-") \(head.authority ?? "-") \(head.version) "
                    + "\(head.framing) \(head.isPersistent) \(head.expectsContinue) \(fields)"
            )
            self.contentSizes.append(0)
            let next = HTTP1BodyDecoder(framing: head.framing, limits: limits)
            decoder = next.isComplete ? nil : next
        }
        return consumed
    }
}
