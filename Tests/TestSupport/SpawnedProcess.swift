internal import CSpawn
internal import Foundation
internal import Locking

/// A process that was started, until it has ended and is reaped.
///
/// Foundation's `Process` is not used: looking for descriptors to close, it reads beyond its buffer, and now and then the
/// whole run of tests ends with that (swift-corelibs-foundation, pull request 5472).
final class SpawnedProcess: Sendable {
    private struct State {
        var status: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
    }

    let pid: pid_t
    private let state = Locked(State())

    /// Starts a program as a shell would, in a process group of its own.
    ///
    /// - Parameters:
    ///   - streams: Its standard input, output and error, which stay the caller's to close.
    ///   - folder: Where it runs; nil for where this process does.
    /// - Throws: `ChildProcess.Failure` when the system refuses.
    init(_ program: String, _ arguments: [String], streams: [FileHandle], in folder: String?) throws {
        let words = ([program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        let error = cspawn(&pid, program, words + [nil], streams.map(\.fileDescriptor), folder)
        guard error == 0 else {
            throw ChildProcess.Failure(description: "\(program) cannot be started: \(String(cString: strerror(error)))")
        }
        self.pid = pid
        self.reap()
    }

    /// Whether it runs.
    var isRunning: Bool { self.state.withLock { $0.status == nil } }

    /// Sends a signal, if it runs.
    func signal(_ number: Int32) {
        // The lock keeps it from being reaped, and its number from being another's, until the signal is sent.
        self.state.withLock { state in
            if state.status == nil { kill(self.pid, number) }
        }
    }

    /// Waits for its end.
    ///
    /// - Returns: The exit status; a death by signal is 128 and its number.
    func wait() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status: Int32? = self.state.withLock { state in
                if state.status == nil { state.waiting.append(continuation) }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    private func reap() {
        Thread.detachNewThread { [pid = self.pid, state = self.state] in
            var info = siginfo_t()
            while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            let (status, waiting) = state.withLock { state in
                var code: Int32 = 0
                waitpid(pid, &code, 0)
                let signal = code & 0x7f
                let status = signal == 0 ? code >> 8 & 0xff : 128 + signal
                state.status = status
                defer { state.waiting = [] }
                return (status, state.waiting)
            }
            for waiter in waiting { waiter.resume(returning: status) }
        }
    }
}
