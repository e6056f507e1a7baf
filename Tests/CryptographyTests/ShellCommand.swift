import Glibc
import Testing

/// Runs a tool of the system as a witness.
enum ShellCommand {
    /// What a command writes to its standard output; fails the test when it does not end with success.
    static func output(of command: String) throws -> String {
        let stream = try #require(popen(command, "r"), "a shell")
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, stream)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        let status = pclose(stream)
        try #require(status == 0, "`\(command)` ended with \(status)")
        return String(decoding: bytes, as: UTF8.self)
    }
}
