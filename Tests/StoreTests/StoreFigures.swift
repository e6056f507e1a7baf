import Glibc
import Locking
import Store
import Synchronization
import TestSupport
import Testing

/// Prints what the store does on this machine; asserts nothing.
///
/// Run with `SPEECHGATE_FIGURES=/tmp`, or
/// another directory.
@Suite(.serialized, .enabled(if: getenv("SPEECHGATE_FIGURES") != nil)) struct StoreFigures {
    private let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory(in: getenv("SPEECHGATE_FIGURES").map { String(cString: $0) } ?? "/tmp")
    }

    @Test func fdatasyncOfTheDisk() throws {
        let descriptor = open("\(self.directory.path)/probe", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer {
            close(descriptor)
        }
        let page = [UInt8](repeating: 1, count: 4096)
        for index in 0..<256 {
            pwrite(descriptor, page, 4096, off_t(index) * 4096)
        }
        fsync(descriptor)
        var times: [Duration] = []
        for index in 0..<500 {
            pwrite(descriptor, page, 4096, off_t(index % 256) * 4096)
            times.append(ContinuousClock().measure { fdatasync(descriptor) })
        }
        times.sort()
        print("figures: fdatasync of one page in place: p50 \(times[250]), p99 \(times[495])")
    }

    @Test(arguments: [1, 8, 64])
    func durableClaims(callers: Int) async throws {
        let store = try Store.open(in: self.directory)
        let count = callers == 1 ? 2_000 : 40_000
        try await self.measure("claims, \(callers) callers", count: count, callers: callers, store: store) { number in
            _ = try await store.claim(.sample(number))
        }
        await store.close()
    }

    @Test(arguments: [1024, 24_000])
    func claimAndAnswer(size: Int) async throws {
        let body = noise(size)
        let store = try Store.open(in: self.directory)
        try await self.measure("claim+complete \(size) B, 64 callers", count: 20_000, callers: 64, store: store) {
            try await store.answer($0, body: body)
        }
        await store.close()
    }

    @Test func lookUps() async throws {
        let body = noise(24_000)
        let store = try Store.open(in: self.directory)
        for number in 0..<1_000 as Range<UInt64> {
            try await store.answer(number, body: body)
        }
        let rounds = 50_000
        let hot = try ContinuousClock().measure {
            for index in 0..<rounds {
                _ = try store.lookUp(ScopeHash(0x5EED, 900 + UInt64(index % 100)))
            }
        }
        print("figures: lookUp from memory: \(hot / rounds)")
        let hotRecord = try ContinuousClock().measure {
            for index in 0..<rounds {
                _ = try store.record("rec-\(900 + index % 100)", client: "app", user: "anna")
            }
        }
        print("figures: record from memory: \(hotRecord / rounds)")
        let unseen = try ContinuousClock().measure {
            for index in 0..<rounds {
                _ = try store.lookUp(ScopeHash(1, UInt64(index)))
            }
        }
        print("figures: lookUp of an unseen key: \(unseen / rounds)")
        await store.close()
        let cold = try Store.open(in: self.directory) { $0.answerCacheSize = 0 }
        let file = try ContinuousClock().measure {
            for index in 0..<rounds {
                _ = try cold.lookUp(ScopeHash(0x5EED, UInt64(index % 1000)))
            }
        }
        print("figures: lookUp with 24 KB from SQLite: \(file / rounds)")
        await cold.close()
    }

    @Test func opening() async throws {
        let store = try Store.open(in: self.directory)
        await store.close()
        let again = try ContinuousClock().measure {
            _ = try Store.open(in: self.directory)
        }
        print("figures: open an existing store: \(again)")
    }

    @Test func aMillionRecords() async throws {
        let store = try Store.open(in: self.directory)
        try await store.administer("PRAGMA synchronous = OFF")
        let numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)"
        try await store.administer(
            """
            INSERT INTO keys \(numbers) SELECT i, randomblob(16), 'app', 'anna', 'key-' || hex(randomblob(16)),
            'evaluate', randomblob(32), 'account-1', hex(randomblob(16)), \(someDay) + i FROM n
            """
        )
        try await store.administer(
            """
            INSERT INTO answers \(numbers) SELECT i, randomblob(32), 200, 0, 'application/json',
            'eval_' || hex(randomblob(6)), \(someDay) + i, randomblob(1024) FROM n
            """
        )
        try await store.administer(
            """
            INSERT INTO records \(numbers) SELECT i, 'eval_' || hex(randomblob(6)), 'app', 'anna', 'evaluate',
            'en.sent.score', 80.5, 'key-' || i, 'account-1', hex(randomblob(16)), \(someDay) + i FROM n
            """
        )
        try await store.administer("UPDATE state SET answered = 1000000")
        await store.close()
        let start = ContinuousClock.now
        let large = try Store.open(in: self.directory)
        print("figures: open with 1,000,000 records of 1 KB: \(ContinuousClock.now - start)")
        let body = noise(1024)
        try await self.measure("1,000,000 records, claim+complete 1 KB", count: 20_000, callers: 64, store: large) {
            try await large.answer($0, body: body)
        }
        let expiring = ContinuousClock.now
        let expiry = try await large.expire(now: someDay + 8 * day)
        print("figures: one step of expiry of \(expiry.keys) keys: \(ContinuousClock.now - expiring)")
        await large.close()
    }

    private func measure(
        _ what: String,
        count: Int,
        callers: Int,
        store: Store,
        _ body: @escaping @Sendable (UInt64) async throws -> Void
    ) async throws {
        let progress = Progress()
        let before = store.statistics
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        let cpuBefore = usage.seconds
        let begin = ContinuousClock.now
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<callers {
                    group.addTask {
                        var mine: [Duration] = []
                        while true {
                            let number = progress.next.wrappingAdd(1, ordering: .relaxed).oldValue
                            guard number < count else {
                                break
                            }
                            let start = ContinuousClock.now
                            try await body(UInt64(number))
                            mine.append(ContinuousClock.now - start)
                        }
                        progress.latencies.withLock { $0 += mine }
                    }
                }
                try await group.waitForAll()
            }
        }
        let time = ContinuousClock.now - begin
        getrusage(RUSAGE_SELF.rawValue, &usage)
        let cpu = usage.seconds - cpuBefore
        let sorted = progress.latencies.withLock { $0.sorted() }
        let after = store.statistics
        let rate = Double(count) / (time / .seconds(1))
        print(
            "figures: \(what): \(Int(rate))/s, cpu \(Int(cpu * 1e6) / count) us each, p50 \(sorted[count / 2]),",
            "p99 \(sorted[count * 99 / 100]), max \(sorted[count - 1]), transactions",
            after.transactions - before.transactions,
            "checkpoints",
            after.checkpoints - before.checkpoints
        )
    }
}

private final class Progress: Sendable {
    let next = Atomic<Int>(0)
    let latencies = Locked<[Duration]>([])
}

extension rusage {
    fileprivate var seconds: Double {
        func seconds(_ time: timeval) -> Double {
            Double(time.tv_sec) + Double(time.tv_usec) / 1e6
        }
        return seconds(self.ru_utime) + seconds(self.ru_stime)
    }
}
