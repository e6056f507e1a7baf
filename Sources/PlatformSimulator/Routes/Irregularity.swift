import HTTPServer

extension Reply.Irregularity {
    /// How it is written in the field that carries it to the connection.
    var text: String {
        switch self {
        case .drop: "drop"
        case .garbage: "garbage"
        case .length(let offset): "length:\(offset)"
        case .trickle(let pause): "trickle:\(pause / .milliseconds(1))"
        }
    }

    /// Reads ``text``.
    init?(text: String) {
        let halves = text.split(separator: ":")
        switch (halves.first, halves.count > 1 ? halves[1] : "") {
        case ("drop", _): self = .drop
        case ("garbage", _): self = .garbage
        case ("length", let offset): self = .length(Int(offset) ?? 0)
        case ("trickle", let pause): self = .trickle(.milliseconds(Double(pause) ?? 0))
        default: return nil
        }
    }

    /// What the connection does about it.
    var answer: IrregularAnswer {
        switch self {
        case .drop:
            IrregularAnswer(closesBehind: true) { _, _ in [] }
        case .garbage:
            IrregularAnswer(closesBehind: true) { _, _ in [Array("\u{0}\u{1}this is not HTTP\r\n\r\nnor is this".utf8)]
            }
        case .length(let offset):
            IrregularAnswer(closesBehind: true) { head, body in
                [Self.declaring(max(0, body.count + offset), in: head) + body]
            }
        case .trickle(let pause):
            // At most 64 slices, so that a body of any size arrives in a foreseeable time.
            IrregularAnswer(pause: pause, closesBehind: false) { head, body in
                let size = max(1, (body.count + 63) / 64)
                let slices = stride(from: 0, to: body.count, by: size).map {
                    Array(body[$0..<min($0 + size, body.count)])
                }
                return [head] + slices
            }
        }
    }

    /// A head with another length.
    private static func declaring(_ length: Int, in head: [UInt8]) -> [UInt8] {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        let changed = lines.map { line in
            line.lowercased().hasPrefix("content-length:") ? "Content-Length: \(length)" : String(line)
        }
        return Array(changed.joined(separator: "\r\n").utf8)
    }
}
