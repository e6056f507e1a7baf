import Cryptography
import Glibc
import Store
import TestSupport
import Testing

@Suite struct OpeningTests {
    let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func openError(_ configuration: Store.Configuration) -> StoreError? {
        do throws(StoreError) {
            _ = try Store.open(configuration)
            return nil
        } catch {
            return error
        }
    }

    private func openError() -> StoreError? {
        self.openError(Store.Configuration(directory: self.directory.path))
    }

    @Test func missingDirectoriesAreMadePrivate() async throws {
        let path = self.directory.path + "/a/b"
        let store = try Store.open(Store.Configuration(directory: path))
        _ = try await store.claim(.sample(1))
        #expect(try self.directory.mode(of: "a") == 0o700)
        #expect(try self.directory.mode(of: "a/b") == 0o700)
        for name in ["speechgate.db", "speechgate.db-wal", "lock"] {
            #expect(try self.directory.mode(of: "a/b/" + name) == 0o600)
        }
        await store.close()
    }

    @Test func secondOpenerIsToldWhoHoldsTheDirectory() async throws {
        let store = try Store.open(in: self.directory)
        let error = try #require(self.openError())
        #expect(error.code == .locked)
        #expect(
            error.message
                == "another speechgate (pid \(getpid())) uses this state directory \(self.directory.path); "
                + "stop it or set another stateDirectory"
        )
        // The one that holds it is not disturbed.
        _ = try await store.claim(.sample(1))
        await store.close()
        #expect(self.openError() == nil)
    }

    @Test func aClosedStoreLetsGoThoughAnotherHoldsACopyOfItsDescriptor() async throws {
        let store = try Store.open(in: self.directory)
        let lock = try #require((3..<4096).first { Self.path(of: $0) == self.directory.path + "/lock" })
        // What a child that is being started has until its program runs.
        let copy = dup(lock)
        defer { close(copy) }
        await store.close()
        #expect(self.openError() == nil)
    }

    private static func path(of descriptor: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    @Test func aStoreThatIsLetGoLetsGoOfTheDirectory() throws {
        do {
            _ = try Store.open(in: self.directory)
        }
        #expect(self.openError() == nil)
    }

    @Test func aFileInPlaceOfTheDirectoryIsSaidSo() throws {
        try self.directory.write([1], to: "file")
        let error = self.openError(Store.Configuration(directory: self.directory.path + "/file"))
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("/file") == true)
    }

    @Test func garbageIsCorrupt() throws {
        try self.directory.write([UInt8](repeating: 0x5A, count: 8192), to: "speechgate.db")
        #expect(self.openError()?.code == .corrupt)
    }

    @Test func anotherProgramsDatabaseIsRefused() async throws {
        let store = try Store.open(in: self.directory)
        try await store.administer("PRAGMA application_id = 77")
        await store.close()
        let error = try #require(self.openError())
        #expect(error.code == .corrupt)
        #expect(error.message.contains("not a speechgate database"))
    }

    @Test func emptyFileBecomesAStore() async throws {
        try self.directory.write([], to: "speechgate.db")
        let store = try Store.open(in: self.directory)
        try await store.probe()
    }

    @Test func closedStoreRefuses() async throws {
        let store = try Store.open(in: self.directory)
        try await store.answer(1)
        await store.close()
        #expect(await storeError { _ = try await store.claim(.sample(2)) }?.code == .closed)
        #expect(await storeError { _ = try store.lookUp(ScopeHash(0x5EED, 1)) }?.code == .closed)
        await store.close()
    }

    @Test func closingFinishesWhatWaits() async throws {
        let store = try Store.open(in: self.directory)
        store.pauseWriter()
        async let claimed = store.claim(.sample(1))
        await store.waitForWrites(1)
        async let closed: Void = store.close()
        store.resumeWriter()
        #expect(try await claimed.isNew)
        await closed
        #expect(self.directory.names == ["lock", "speechgate.db"])
        let again = try Store.open(in: self.directory)
        #expect(try again.lookUp(ScopeHash(0x5EED, 1)) != nil)
    }

    /// What a killed process leaves is what lies in the files at that moment.
    @Test func committedClaimsSurviveAKill() async throws {
        let store = try Store.open(in: self.directory)
        let first = try await store.claim(.sample(1))
        try await store.answer(2, body: Array("paid".utf8))
        try await store.markUnresolved(row: first.id, flight: FlightID(process: 7, serial: 1))
        let copy = try TemporaryDirectory()
        for name in ["speechgate.db", "speechgate.db-wal"] {
            try copy.write(self.directory.contents(of: name), to: name)
        }
        let revived = try Store.open(in: copy)
        let row = try #require(try revived.lookUp(ScopeHash(0x5EED, 1)))
        #expect(row.id == first.id)
        #expect(row.isUnresolved)
        #expect(row.firstSentAt == someDay)
        #expect(row.flight == FlightID(process: 7, serial: 1))
        #expect(try revived.openClaims().map(\.id) == [first.id])
        #expect(try revived.lookUp(ScopeHash(0x5EED, 2))?.answer?.body == Array("paid".utf8))
        #expect(revived.claimCounts().unresolved == 1)
        #expect(revived.claimCounts().answered == 1)
        // The next process takes the claim over.
        #expect(try await revived.claim(.sample(1, flight: 99)).id == first.id)
    }

    @Test func idsAreNeverUsedTwice() async throws {
        var seen: Set<Int64> = []
        for round in 0..<3 as Range<UInt64> {
            let store = try Store.open(in: self.directory)
            for number in 0..<3 as Range<UInt64> {
                let row = try await store.claim(.sample(number))
                #expect(seen.insert(row.id).inserted)
                let flight = FlightID(process: 7, serial: number)
                #expect(try await store.release(row: row.id, flight: flight) == .deleted)
            }
            if round == 1 {
                // Also what the counter forgot: the tables count too.
                try await store.answer(50)
                try await store.administer("UPDATE state SET next_id = 1")
            }
            await store.close()
        }
        let store = try Store.open(in: self.directory)
        let answered = try #require(try store.lookUp(ScopeHash(0x5EED, 50)))
        #expect(try await store.claim(.sample(60)).id > answered.id)
    }

    @Test func theFingerprintKeyIsMadeWithTheDatabaseAndStays() async throws {
        let other = try TemporaryDirectory()
        var keys: [Secret] = []
        for directory in [self.directory, self.directory, other] {
            let store = try Store.open(in: directory)
            keys.append(store.fingerprintKey)
            await store.close()
        }
        #expect(keys.map(\.count) == [16, 16, 16])
        #expect(keys[0] == keys[1] && keys[0] != keys[2])
        #expect(keys[0] != Secret([UInt8](repeating: 0, count: 16)))
        var dumped = ""
        dump(try Store.open(in: other), to: &dumped)
        #expect(dumped.contains("fingerprintKey: <redacted>"))
    }

    @Test func aFingerprintKeyOfAnotherLengthIsCorruption() async throws {
        let store = try Store.open(in: self.directory)
        let cut = "UPDATE state SET fingerprint_key = x'00'"
        #expect(await storeError { try await store.administer(cut) } != nil, "the schema forbids it")
        try await store.administer("PRAGMA ignore_check_constraints = ON")
        try await store.administer(cut)
        await store.close()
        #expect(self.openError()?.code == .corrupt)
    }

    @Test func fileGivesPagesBackAndIsOneOfOurs() async throws {
        let store = try Store.open(in: self.directory)
        await store.close()
        let header = try self.directory.contents(of: "speechgate.db").prefix(100)
        // The file format's own offsets: application id at 68, incremental vacuum at 64.
        #expect(Array(header[68..<72]) == Array("SpGt".utf8))
        #expect(Array(header[64..<68]) == [0, 0, 0, 1])
    }
}
