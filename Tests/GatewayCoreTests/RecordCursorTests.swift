import Cryptography
import Store
import Testing

@testable import GatewayCore

@Suite struct RecordCursorTests {
    private let cursors = RecordCursor(secret: Secret("0123456789abcdef"))
    private let filter = RecordFilter(client: "app", user: "anna", from: 0, to: .max)

    @Test func aCursorLeadsBackToItsPlace() throws {
        let position = RecordPosition(createdAt: 1_796_026_150_000, id: 77)
        let text = self.cursors.text(position, of: self.filter)
        #expect(try self.cursors.position(text, of: self.filter) == position)
    }

    @Test func aCursorIsGoodForItsListOnly() throws {
        let text = self.cursors.text(RecordPosition(createdAt: 1_000, id: 7), of: self.filter)
        let others = [
            RecordFilter(client: "other", user: "anna", from: 0), RecordFilter(client: "app", user: nil, from: 0),
            RecordFilter(client: "app", user: "ben", from: 0), RecordFilter(client: "app", user: "anna", from: 1),
            RecordFilter(client: "app", user: "anna", from: 0, to: 9),
        ]
        for other in others {
            #expect(throws: GatewayError.self) { try self.cursors.position(text, of: other) }
        }
        let elsewhere = RecordCursor(secret: Secret("fedcba9876543210"))
        #expect(throws: GatewayError.self) { try elsewhere.position(text, of: self.filter) }
        for index in text.indices {
            var altered = text
            altered.replaceSubrange(index...index, with: text[index] == "A" ? "B" : "A")
            #expect(throws: GatewayError.self) { try self.cursors.position(altered, of: self.filter) }
        }
    }
}
