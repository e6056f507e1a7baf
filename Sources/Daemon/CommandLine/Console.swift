private import CLinux
private import Glibc

/// Where a verb writes.
struct Console: Sendable {
    /// Takes what a caller or a script wants to read.
    let output: @Sendable ([UInt8]) -> Void
    /// Takes what a person should read, without its final newline.
    let complaint: @Sendable (String) -> Void
    /// The columns of the terminal that the output is; nil for anything else.
    var columns: @Sendable () -> Int? = { nil }

    /// Standard output and standard error.
    static let standard = Console(
        output: { Self.write($0, to: STDOUT_FILENO) },
        complaint: { Self.write(Array("\($0)\n".utf8), to: STDERR_FILENO) },
        columns: {
            let columns = clinux_terminal_columns(STDOUT_FILENO)
            return columns > 0 ? Int(columns) : nil
        }
    )

    /// Writes a line to standard output.
    func print(_ line: String) {
        self.output(Array("\(line)\n".utf8))
    }

    /// Tells why a verb ends without success.
    func report(_ failure: VerbFailure) {
        for line in failure.lines {
            self.complaint("speechgate: \(line)")
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                // Nobody reads any more; the verb's work counts, not its words.
                return
            }
            rest = rest.dropFirst(count)
        }
    }
}
