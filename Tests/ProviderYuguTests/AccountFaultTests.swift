import Foundation
import GatewayCore
import TestSupport
import Testing

@testable import ProviderYugu

@Suite struct AccountFaultTests {
    @Test(
        arguments: [
            (2011, .credentials), (2003, .credentials), (40100, .credentials), (1012, .disabled), (1013, .disabled),
            (2012, .exhausted), (1310, .exhausted), (40902, .exhausted), (42903, .exhaustedToday),
            (40001, nil), (40300, nil), (40900, nil), (40901, nil), (40903, nil), (42900, nil), (42901, nil),
            (42902, nil),
            (50000, nil), (50200, nil), (3003, nil), (1004, nil), (1005, nil), (1311, nil), (0, nil), (2000, nil),
            (2013, nil),
        ] as [(Int, AccountFault?)]
    )
    func code(_ code: Int, fault: AccountFault?) {
        #expect(ErrorTable.accountFault(of: code) == fault)
    }

    /// No code that asks for another attempt, or that may stand for an execution, lets another account try.
    @Test(.enabled(if: SharedMaterial.isExpected, "no shared material: the vendor's error table is skipped"))
    func everyCodeOfTheVendorsTableIsAnAccountsFaultOnlyByItsCategory() throws {
        struct Table: Decodable {
            struct Entry: Decodable {
                let code: Int
                let name: String
                let http: Int
                let category: String
                let retryable: Bool
            }
            let errors: [Entry]
        }
        let folder = try #require(SharedMaterial.folder)
        let data = try Data(contentsOf: folder.appendingPathComponent("fixtures/errors.json"))
        let table = try JSONDecoder().decode(Table.self, from: data)
        #expect(table.errors.count == 36)
        for entry in table.errors {
            let expected: AccountFault? =
                switch (entry.category, entry.name) {
                case ("AUTH", _): .credentials
                case ("QUOTA", "SANDBOX_DAILY_LIMIT"): .exhaustedToday
                case ("QUOTA", "TRIAL_REPORT_DAILY_LIMIT"): nil
                case ("QUOTA", _): .exhausted
                case ("PERMISSION", "ACCOUNT_DISABLED"), ("PERMISSION", "ACCOUNT_FROZEN"): .disabled
                default: nil
                }
            let fault = ErrorTable.accountFault(of: entry.code)
            #expect(fault == expected, "\(entry.code)")
            #expect(fault == nil || !entry.retryable && (400..<500).contains(entry.http), "\(entry.code)")
        }
    }
}
