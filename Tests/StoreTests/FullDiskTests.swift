import Glibc
import Store
import TestSupport
import Testing

/// On a disk that is really full: `SPEECHGATE_SMALL_DISK` names an empty file system of a few megabytes.
///
///     unshare -m sh -c 'mount -t tmpfs -o size=8m none /mnt && SPEECHGATE_SMALL_DISK=/mnt swift test --filter FullDisk'
@Suite(.serialized, .enabled(if: getenv("SPEECHGATE_SMALL_DISK") != nil)) struct FullDiskTests {
    let directory: TemporaryDirectory

    init() throws {
        let disk = try #require(getenv("SPEECHGATE_SMALL_DISK").map { String(cString: $0) })
        self.directory = try TemporaryDirectory(in: disk)
    }

    /// Writes until nothing fits any more.
    private func fill(_ name: String) {
        let descriptor = open("\(self.directory.path)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer {
            close(descriptor)
        }
        for size in [1 << 16, 4096, 1] {
            let bytes = [UInt8](repeating: 0, count: size)
            while write(descriptor, bytes, size) > 0 {}
        }
    }

    @Test(arguments: [0, 1, 7, 64])
    func refusesWhileFullAndRecovers(answersBefore: UInt64) async throws {
        let store = try Store.open(in: self.directory) { $0.answerCacheSize = 0 }
        for number in 0..<answersBefore {
            try await store.answer(number, body: noise(24_000))
        }
        self.fill("filler")
        var claimed: [UInt64] = []
        var refusals = 0
        for number in 1000..<1400 as Range<UInt64> {
            // The log's file has some room; what fits into it is written.
            switch await storeError({ _ = try await store.claim(.sample(number)) })?.code {
            case nil:
                claimed.append(number)
            case .unavailable:
                refusals += 1
            case let other:
                Issue.record("unexpected \(String(describing: other))")
            }
        }
        #expect(refusals > 0)
        let large = noise(500_000)
        #expect(await storeError { try await store.answer(5000, body: large) }?.code == .unavailable)
        for number in 0..<answersBefore {
            #expect(try store.lookUp(ScopeHash(0x5EED, number))?.answer?.body.count == 24_000)
        }
        unlink("\(self.directory.path)/filler")
        try await store.probe()
        try await store.answer(6000, body: large)
        for number in claimed {
            #expect(try store.lookUp(ScopeHash(0x5EED, number)) != nil)
        }
        for number in 1000..<1400 as Range<UInt64> where !claimed.contains(number) {
            #expect(try store.lookUp(ScopeHash(0x5EED, number)) == nil)
        }
        let faults = "SELECT COUNT(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"
        #expect(try await store.administer(faults) == 0)
        await store.close()
        let again = try Store.open(in: self.directory)
        #expect(try await again.administer(faults) == 0)
        #expect(again.claimCounts().answered == Int(answersBefore) + 1)
        await again.close()
    }

    @Test func openingOnAFullDiskIsRefusedClearly() throws {
        self.fill("filler")
        let error = #expect(throws: StoreError.self) {
            try Store.open(in: self.directory)
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("free space") == true)
        unlink("\(self.directory.path)/filler")
        #expect(throws: Never.self) {
            try Store.open(in: self.directory)
        }
    }

    @Test func spoolOnAFullDiskIsFull() throws {
        var configuration = SpoolDirectory.Configuration(directory: self.directory.path + "/spool")
        configuration.clientDivisor = 1
        let spool = try SpoolDirectory(configuration)
        let file = try spool.makeFile(reserving: 1 << 20, client: "app")
        self.fill("filler")
        let error = #expect(throws: StoreError.self) {
            try [UInt8](repeating: 1, count: 1 << 20).withUnsafeBytes { try file.append($0) }
        }
        #expect(error?.code == .spoolFull)
    }
}
