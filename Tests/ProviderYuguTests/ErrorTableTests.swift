import Foundation
import GatewayCore
import TestSupport
import Testing

@testable import ProviderYugu

/// Our table before the vendor's, entry by entry.
@Suite struct ErrorTableTests {
    private struct Table: Decodable {
        struct Entry: Decodable {
            let code: Int
            let name: String
            let http: Int
            let category: String
            let retryable: Bool
            let message: String
        }

        let categories: [String]
        let errors: [Entry]
        let httpFallback: [String: String]
        let retryableHttp: [Int]
    }

    private static func table() throws -> Table {
        let file = try #require(SharedMaterial.folder).appendingPathComponent("fixtures/errors.json")
        return try JSONDecoder().decode(Table.self, from: Data(contentsOf: file))
    }

    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the vendor's error table is skipped"))
    func everyCodeIsTheVendorsInOurWords() throws {
        let vendors = try Self.table().errors
        #expect(vendors.count == 36)
        #expect(ErrorTable.entries.map(\.code) == vendors.map(\.code))
        for (ours, vendor) in zip(ErrorTable.entries, vendors) {
            #expect(ours.name == vendor.name, "\(vendor.code)")
            #expect(ours.status == vendor.http, "\(vendor.code)")
            #expect(ours.category.rawValue == vendor.category, "\(vendor.code)")
            #expect(ours.isRetryable == vendor.retryable, "\(vendor.code)")
            #expect(!ours.message.isEmpty && ours.message.utf8.allSatisfy { (0x20...0x7E).contains($0) })
            #expect(ours.message != vendor.message)
        }
        #expect(Set(ErrorTable.entries.map(\.message)).count == vendors.count, "each says something of its own")
    }

    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the vendor's error table is skipped"))
    func everyCodeIsActedOnAsTheTableSays() throws {
        for entry in try Self.table().errors {
            // Whatever status comes with it: the code decides.
            for status in [200, 400, 401, 500, entry.http] {
                let code = ErrorTable.code(entry.code, status: status)
                #expect(code.usualStatus == entry.http, "\(entry.code)")
                #expect(code.meaning?.name == entry.name)
                let isRetried = code.kind == .retryable || code.kind == .inProgress
                #expect(isRetried == entry.retryable, "\(entry.code)")
                let isCredentials = code.kind == .credentials || code.kind == .credentialsOrClock
                #expect(isCredentials == (entry.category == "AUTH"), "\(entry.code)")
            }
        }
    }

    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the vendor's error table is skipped"))
    func aStatusWithoutACodeIsJudgedAsTheTableSays() throws {
        let table = try Self.table()
        #expect(ErrorCategory.allCases.map(\.rawValue) == table.categories)
        #expect(table.httpFallback.count == 17)
        for (text, category) in table.httpFallback {
            let status = try #require(Int(text))
            #expect(ErrorCategory(status: status).rawValue == category, "\(status)")
            // What an SDK makes of the code that we answer with, where the platform gave none.
            let standing = GatewayCode(standingFor: status)
            #expect(standing.isRetryable == table.retryableHttp.contains(status), "\(status)")
            if status != 408 { #expect(standing.category.rawValue == category, "\(status)") }
        }
        for status in 100..<600 {
            #expect(RetryPolicy.isRetryable(status: status) == table.retryableHttp.contains(status), "\(status)")
            #expect(ErrorTable.code(777_777, status: status).kind == Self.kind(of: status, table), "\(status)")
        }
        for (status, category) in [(418, "INVALID_PARAM"), (451, "INVALID_PARAM"), (505, "SERVER"), (599, "SERVER")] {
            #expect(ErrorCategory(status: status).rawValue == category)
        }
        for status in [0, 199, 302, 600] { #expect(ErrorCategory(status: status) == .unknown) }
    }

    private static func kind(of status: Int, _ table: Table) -> PlatformCode.Kind {
        status == 401 ? .credentials : table.retryableHttp.contains(status) ? .retryable : .final
    }
}
