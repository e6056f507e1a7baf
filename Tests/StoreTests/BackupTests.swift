import Glibc
import Locking
import Store
import TestSupport
import Testing

@Suite struct BackupTests {
    let directory: TemporaryDirectory
    let store: Store

    init() throws {
        self.directory = try TemporaryDirectory()
        self.store = try Store.open(in: self.directory)
    }

    /// Opens a backup as the store of a directory of its own.
    private func restored(_ name: String) throws -> (Store, TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        try directory.write(try self.directory.contents(of: name), to: "speechgate.db")
        return (try Store.open(in: directory), directory)
    }

    @Test func aBackupIsAWholeStoreOfItsOwn() async throws {
        for number in 1...20 as ClosedRange<UInt64> { try await self.store.answer(number, body: noise(20_000)) }
        let body = try self.store.record("rec-7", client: "app", user: nil)?.answer.body
        let size = try await self.store.backUp(to: self.directory.path + "/copy.db")
        #expect(try self.directory.size(of: "copy.db") == size)
        #expect(try self.directory.mode(of: "copy.db") == 0o600)
        #expect(!self.directory.names.contains { $0.hasPrefix("copy.db-") })
        let (copy, place) = try self.restored("copy.db")
        #expect(try copy.record("rec-7", client: "app", user: nil)?.answer.body == body)
        #expect(copy.claimCounts().answered == 20)
        #expect(try await copy.integrityFaults().isEmpty)
        await copy.close()
        withExtendedLifetime(place) {}
    }

    @Test func writesGoOnMeanwhileAndTheCopyIsOfOneMoment() async throws {
        for number in 1...150 as ClosedRange<UInt64> { try await self.store.answer(number, body: noise(60_000)) }
        let store = self.store
        let hasEnded = Locked(false)
        let writing = Task {
            defer { hasEnded.withLock { $0 = true } }
            var number: UInt64 = 1_000
            while !Task.isCancelled {
                try await store.answer(number)
                number += 1
            }
        }
        await until { store.claimCounts().answered >= 155 || hasEnded.withLock { $0 } }
        let before = store.claimCounts().answered
        _ = try await self.store.backUp(to: self.directory.path + "/copy.db")
        #expect(store.claimCounts().answered > before)
        writing.cancel()
        try await writing.value
        let (copy, place) = try self.restored("copy.db")
        // Every answered key has its answer, and each was counted.
        let answered = try await copy.administer("SELECT COUNT(*) FROM answers")
        #expect(try await copy.administer("SELECT COUNT(*) FROM records r JOIN answers a ON a.id = r.id") == answered)
        #expect(try await copy.administer("SELECT SUM(billed) FROM usage") == answered)
        #expect(copy.claimCounts().answered == answered.map(Int.init))
        await copy.close()
        withExtendedLifetime(place) {}
    }

    @Test func nothingIsOverwritten() async throws {
        try self.directory.write(Array("precious".utf8), to: "copy.db")
        let error = await storeError { _ = try await self.store.backUp(to: self.directory.path + "/copy.db") }
        #expect(error?.code == .conflict)
        #expect(try self.directory.contents(of: "copy.db") == Array("precious".utf8))
        symlink(self.directory.path + "/nowhere", self.directory.path + "/link.db")
        #expect(await storeError { _ = try await self.store.backUp(to: self.directory.path + "/link.db") } != nil)
        #expect(!self.directory.names.contains("nowhere"))
    }

    @Test func whatCannotBeFinishedLeavesNoFile() async throws {
        try await self.store.answer(1)
        let store = self.store
        let path = self.directory.path + "/copy.db"
        store.pauseWriter()
        let copying = Task { await storeError { _ = try await store.backUp(to: path) } }
        copying.cancel()
        store.resumeWriter()
        _ = await copying.value
        // A small store may be whole in one step; what was given up leaves nothing.
        if self.directory.names.contains("copy.db") { #expect(try self.directory.size(of: "copy.db") > 0) }
        let error = await storeError { _ = try await store.backUp(to: "/nonexistent/copy.db") }
        #expect(error?.code == .unavailable)
    }
}
