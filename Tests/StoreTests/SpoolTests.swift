import Glibc
import HTTPWire
import Locking
import Store
import TestSupport
import Testing

@Suite struct SpoolTests {
    let directory: TemporaryDirectory

    init() throws {
        self.directory = try TemporaryDirectory()
    }

    private func spool(budget: Int64 = 1000, free: Int64 = .max / 2) throws -> SpoolDirectory {
        var configuration = SpoolDirectory.Configuration(directory: self.directory.path + "/spool")
        configuration.budget = budget
        return try SpoolDirectory(configuration, freeSpace: { _ in free })
    }

    private func append(_ bytes: [UInt8], to file: SpoolFile) throws {
        try bytes.withUnsafeBytes { try file.append($0) }
    }

    private func read(_ file: any HTTPBodyFile, _ range: Range<Int>) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: range.count)
        let count = pread(file.descriptor, &buffer, range.count, off_t(range.lowerBound))
        return Array(buffer.prefix(max(0, count)))
    }

    @Test func whatWasAppendedIsReadWithPositions() throws {
        let spool = try SpoolDirectory(.init(directory: self.directory.path + "/spool"))
        let file = try spool.makeFile(reserving: 3_000_000, client: "app")
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        for start in stride(from: 0, to: bytes.count, by: 65_537) {
            try self.append(Array(bytes[start..<min(start + 65_537, bytes.count)]), to: file)
        }
        #expect(file.count == 3_000_000)
        #expect(self.read(file, 0..<10) == Array(bytes[0..<10]))
        #expect(self.read(file, 1_234_567..<1_300_000) == Array(bytes[1_234_567..<1_300_000]))
        #expect(self.read(file, 2_999_990..<3_000_010) == Array(bytes[2_999_990...]))
    }

    @Test func filesHaveNoNameAndNobodyElseReadsTheDirectory() throws {
        let spool = try self.spool()
        let file = try spool.makeFile(reserving: 100, client: "app")
        try self.append([1, 2, 3], to: file)
        #expect(try self.directory.mode(of: "spool") == 0o700)
        #expect(TemporaryDirectory.names(in: self.directory.path + "/spool").isEmpty)
        // The way of file systems without O_TMPFILE.
        let descriptor = try spool.openNamedFile()
        #expect(pwrite(descriptor, [9, 9], 2, 0) == 2)
        #expect(TemporaryDirectory.names(in: self.directory.path + "/spool").isEmpty)
        close(descriptor)
    }

    @Test func aFileClosesAndReturnsItsRoomWithItsLastReference() throws {
        let spool = try self.spool()
        var file: SpoolFile? = try spool.makeFile(reserving: 200, client: "app")
        let descriptor = try #require(file?.descriptor)
        try self.append([1, 2, 3], to: #require(file))
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(spool.reservedBytes == 200)
        file = nil
        #expect(spool.reservedBytes == 0)
    }

    @Test func budgetIsABound() throws {
        let spool = try self.spool(budget: 1000)
        var files: [SpoolFile] = []
        for client in ["a", "b", "c", "d"] {
            files.append(try spool.makeFile(reserving: 240, client: client))
        }
        #expect(spool.reservedBytes == 960)
        let error = #expect(throws: StoreError.self) {
            try spool.makeFile(reserving: 41, client: "e")
        }
        #expect(error?.code == .spoolFull)
        #expect(spool.reservedBytes == 960)
        files.removeFirst()
        #expect(try spool.makeFile(reserving: 41, client: "e").count == 0)
    }

    @Test func oneClientGetsAQuarter() throws {
        let spool = try self.spool(budget: 1000)
        let file = try spool.makeFile(reserving: 200, client: "a")
        #expect(throws: StoreError.self) {
            try spool.makeFile(reserving: 51, client: "a")
        }
        #expect(try spool.makeFile(reserving: 50, client: "a").count == 0)
        #expect(try spool.makeFile(reserving: 250, client: "b").count == 0)
        withExtendedLifetime(file) {}
    }

    @Test func oneUserGetsHalfOfItsClientsShare() throws {
        let spool = try self.spool(budget: 1000)
        let file = try spool.makeFile(reserving: 100, client: "a", user: "u")
        #expect(throws: StoreError.self) { try spool.makeFile(reserving: 26, client: "a", user: "u") }
        let other = try spool.makeFile(reserving: 125, client: "a", user: "v")
        #expect(try spool.makeFile(reserving: 125, client: "b", user: "u").count == 0)
        #expect(throws: StoreError.self) { try other.give(to: "a", user: "u", reserving: 0) }
        try other.give(to: "c", user: "u", reserving: 0)
        #expect(throws: StoreError.self) { try spool.makeFile(reserving: 1, client: "c", user: "u") }
        #expect(try spool.makeFile(reserving: 25, client: "a", user: "u").count == 0)
        withExtendedLifetime(file) {}
    }

    @Test func halfOfTheFreeSpaceIsABoundToo() throws {
        var configuration = SpoolDirectory.Configuration(directory: self.directory.path + "/spool")
        configuration.budget = 1000
        configuration.clientDivisor = 1
        let free = FreeSpace()
        let spool = try SpoolDirectory(configuration, freeSpace: { _ in free.bytes.withLock { $0 } })
        let file = try spool.makeFile(reserving: 400, client: "a")
        #expect(throws: StoreError.self) {
            try spool.makeFile(reserving: 1, client: "b")
        }
        // What is written is not free any more, and does not count twice.
        try self.append([UInt8](repeating: 0, count: 400), to: file)
        free.bytes.withLock { $0 = 400 }
        #expect(throws: StoreError.self) {
            try spool.makeFile(reserving: 1, client: "b")
        }
        free.bytes.withLock { $0 = 420 }
        #expect(try spool.makeFile(reserving: 10, client: "b").count == 0)
    }

    @Test func theSpoolLeavesFreeWhatHasToBe() throws {
        var configuration = SpoolDirectory.Configuration(directory: self.directory.path + "/spool")
        configuration.clientDivisor = 1
        configuration.minimumFree = 500
        let free = FreeSpace()
        let spool = try SpoolDirectory(configuration, freeSpace: { _ in free.bytes.withLock { $0 } })
        var file: SpoolFile? = try spool.makeFile(reserving: 90, client: "a")
        let other = try spool.makeFile(reserving: 90, client: "b")
        free.bytes.withLock { $0 = 690 }
        // What is reserved and not written is as good as gone.
        let error = #expect(throws: StoreError.self) { try spool.makeFile(reserving: 11, client: "c") }
        #expect(error?.code == .diskLow)
        #expect(try spool.makeFile(reserving: 10, client: "c").count == 0)
        try self.append([UInt8](repeating: 0, count: 90), to: #require(file))
        free.bytes.withLock { $0 = 600 }
        #expect(try spool.makeFile(reserving: 10, client: "c").count == 0)
        #expect(throws: StoreError.self) { try spool.makeFile(reserving: 11, client: "c") }
        // What lies there already takes nothing more by changing hands, and a file does not grow into it.
        free.bytes.withLock { $0 = 400 }
        try file?.give(to: "d", reserving: 0)
        let growing = #expect(throws: StoreError.self) { try self.append([1], to: #require(file)) }
        #expect(growing?.code == .diskLow && spool.reservedBytes == 180)
        file = nil
        #expect(spool.reservedBytes == 90)
        withExtendedLifetime(other) {}
    }

    @Test func aNearlyFullDiskIsSharedToo() throws {
        var configuration = SpoolDirectory.Configuration(directory: self.directory.path + "/spool")
        configuration.minimumFree = 500
        let spool = try SpoolDirectory(configuration, freeSpace: { _ in 900 })
        var files: [SpoolFile] = []
        let greedy = #expect(throws: StoreError.self) { try spool.makeFile(reserving: 101, client: "a") }
        #expect(greedy?.code == .spoolFull)
        for client in ["a", "b", "c", "d"] { files.append(try spool.makeFile(reserving: 100, client: client)) }
        let error = #expect(throws: StoreError.self) { try spool.makeFile(reserving: 1, client: "e") }
        #expect(error?.code == .diskLow)
        #expect(spool.reservedBytes == 400)
    }

    private final class FreeSpace: Sendable {
        let bytes = Locked<Int64>(800)
    }

    @Test func aBodyOfUnknownLengthGrowsWhileThereIsRoom() throws {
        let spool = try self.spool(budget: 16 << 20)
        let file = try spool.makeFile(reserving: 0, client: "a")
        let piece = [UInt8](repeating: 1, count: 1 << 20)
        for _ in 0..<4 {
            try self.append(piece, to: file)
        }
        // A quarter of the budget is reached.
        let error = #expect(throws: StoreError.self) {
            try self.append([1], to: file)
        }
        #expect(error?.code == .spoolFull)
        #expect(file.count == 4 << 20)
        #expect(spool.reservedBytes == 4 << 20)
    }

    @Test func finishingReturnsWhatWasNotUsed() throws {
        let spool = try self.spool()
        let file = try spool.makeFile(reserving: 200, client: "a")
        try self.append([1, 2, 3], to: file)
        file.finish()
        #expect(spool.reservedBytes == 3)
        #expect(try spool.makeFile(reserving: 240, client: "a").count == 0)
    }

    @Test func aFileChangesItsOwnerWithAllItHolds() throws {
        let spool = try self.spool(budget: 1000)
        let file = try spool.makeFile(reserving: 200, client: "a")
        let full = try spool.makeFile(reserving: 100, client: "b")
        #expect(throws: StoreError.self) { try file.give(to: "b", reserving: 0) }
        #expect(throws: StoreError.self) { try spool.makeFile(reserving: 51, client: "a") }
        try file.give(to: "c", reserving: 220)
        #expect(try spool.makeFile(reserving: 250, client: "a").count == 0)
        #expect(throws: StoreError.self) { try spool.makeFile(reserving: 31, client: "c") }
        #expect(spool.reservedBytes == 320)
        withExtendedLifetime(full) {}
    }

    @Test func aSpoolThatCannotBeMadeIsSaidSo() throws {
        try self.directory.write([1], to: "spool")
        let error = #expect(throws: StoreError.self) {
            try self.spool()
        }
        #expect(error?.code == .unavailable)
    }
}

@Suite struct MemoryBudgetTests {
    private typealias Share = MemoryBudget.Share

    @Test func limitIsABound() throws {
        let budget = MemoryBudget(limit: 100)
        let first = try #require(budget.reserve(60))
        #expect(budget.reserve(41) == nil)
        #expect(budget.usedBytes == 60)
        #expect(first.grow(by: 40))
        #expect(!first.grow(by: 1))
        #expect(first.bytes == 100)
    }

    @Test func noOwnerTakesMoreThanItsShare() throws {
        let budget = MemoryBudget(limit: 100)
        let (a, b, c) = (Share(of: "a", atMost: 40), Share(of: "b", atMost: 40), Share(of: "c", atMost: 40))
        var first = budget.reserve(30, of: [a])
        let second = try #require(budget.reserve(0, of: [a]))
        #expect(second.grow(by: 10) && !second.grow(by: 1))
        #expect(budget.reserve(41, of: [b]) == nil)
        #expect(budget.reserve(60) != nil, "nobody's share has no limit of its own")
        let other = try #require(budget.reserve(40, of: [b]))
        #expect(budget.reserve(21, of: [c]) == nil)
        first = nil
        #expect(second.grow(by: 30) && !second.grow(by: 1))
        _ = (first, other)
    }

    @Test func aPartOfSeveralSharesCountsAgainstAllOrNone() throws {
        let budget = MemoryBudget(limit: 100)
        let (one, all) = (Share(of: "one", atMost: 40), Share(of: "all", atMost: 60))
        let first = try #require(budget.reserve(40, of: [one, all]))
        #expect(budget.reserve(1, of: [one, all]) == nil)
        #expect(budget.reserve(21, of: [Share(of: "two", atMost: 40), all]) == nil)
        let second = try #require(budget.reserve(20, of: [Share(of: "two", atMost: 40), all]))
        first.shrink(to: 10)
        #expect(second.grow(by: 20) && !second.grow(by: 1), "nothing was taken of a share by what was refused")
        #expect(first.grow(by: 10) && !first.grow(by: 1))
    }

    @Test func aPartShrinks() throws {
        let budget = MemoryBudget(limit: 100)
        let part = try #require(budget.reserve(50, of: [Share(of: "a", atMost: 50)]))
        part.shrink(to: 20)
        part.shrink(to: 30)
        #expect(budget.usedBytes == 20 && part.bytes == 20)
        #expect(part.grow(by: 30) && !part.grow(by: 1))
    }

    @Test func partsReturnWithTheirLastReference() {
        let budget = MemoryBudget(limit: 100)
        do {
            let part = budget.reserve(0)
            #expect(part?.grow(by: 100) == true)
            #expect(budget.usedBytes == 100)
        }
        #expect(budget.usedBytes == 0)
    }
}
