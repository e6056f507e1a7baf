internal import Dispatch
internal import Glibc
internal import Locking

/// What the operator says by signals: the first SIGTERM or SIGINT asks to stop, the second to stop at once.
///
/// `@unchecked Sendable`: the sources are made in the initialiser and never touched again; all else is a `OneShot` or
/// behind a mutex.
final class Signals: @unchecked Sendable {
    /// The first request to stop, with its signal.
    let stop = OneShot<Int32>()
    /// The second one.
    let stopAtOnce = OneShot<Int32>()

    private let count = Locked(0)
    private var sources: [any DispatchSourceSignal] = []

    /// Takes over the process's signals.
    ///
    /// - Parameters:
    ///   - onHangup: Called for SIGHUP, which asks to read the configuration again.
    ///   - onReopen: Called for SIGUSR1, which asks to open the log file again.
    init(onHangup: @escaping @Sendable () -> Void, onReopen: @escaping @Sendable () -> Void) {
        // The kernel's own answer to these must not come first. SIGPIPE stays ignored: writing to a client that has
        // left is an error number and no reason to die.
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "speechgate.signals")
        for number in [SIGTERM, SIGINT, SIGHUP, SIGUSR1] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable [weak self] in
                switch number {
                case SIGHUP: onHangup()
                case SIGUSR1: onReopen()
                default: self?.receive(number)
                }
            }
            source.resume()
            self.sources.append(source)
        }
    }

    private func receive(_ number: Int32) {
        let count = self.count.withLock { count in
            count += 1
            return count
        }
        switch count {
        case 1: self.stop.resolve(number)
        case 2: self.stopAtOnce.resolve(number)
        // Whatever hangs, the store survives being killed.
        default: _exit(128 + number)
        }
    }
}
