import FoundationEssentials
import TestSupport

/// A case of the shared file of HTTP/1.1 conformance cases, as far as a parser alone is concerned.
struct HTTP1Case: Decodable, Sendable {
    struct Expectation: Decodable, Sendable {
        let status: [Int]
        let connection: String
        let secondResponse: Bool?
        let following: [[Int]]?

        private enum CodingKeys: String, CodingKey {
            case status, connection, following
            case secondResponse = "second_response"
        }
    }

    /// One write: a text with one byte per character, or what stands for longer or binary ones.
    enum Segment: Decodable, Sendable {
        case text(String)
        case base64(String)
        indirect case repeated(Segment, Int)
        case joined([Segment])

        private enum CodingKeys: String, CodingKey { case b64, `repeat`, times }

        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                self = .text(text)
            } else if let list = try? decoder.singleValueContainer().decode([Segment].self) {
                self = .joined(list)
            } else {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                if let base64 = try container.decodeIfPresent(String.self, forKey: .b64) {
                    self = .base64(base64)
                } else {
                    self = .repeated(
                        try container.decode(Segment.self, forKey: .repeat),
                        try container.decode(Int.self, forKey: .times)
                    )
                }
            }
        }

        var bytes: [UInt8] {
            switch self {
            case .text(let text):
                text.replacing("{PATH_GET}", with: "/v1/get").replacing("{PATH_POST}", with: "/v1/echo")
                    .replacing("{HOST}", with: "127.0.0.1:8790")
                    .unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
            case .base64(let text): Array(Data(base64Encoded: text) ?? Data())
            case .repeated(let segment, let times): Self.repeating(segment.bytes, times)
            case .joined(let list): list.flatMap(\.bytes)
            }
        }

        private static func repeating(_ bytes: [UInt8], _ times: Int) -> [UInt8] {
            if bytes.count == 1 { return [UInt8](repeating: bytes[0], count: times) }
            var result: [UInt8] = []
            for _ in 0..<times { result += bytes }
            return result
        }
    }

    let id: String
    let group: String
    let level: String
    let segments: [Segment]
    let expect: Expectation

    var bytes: [UInt8] { self.segments.flatMap(\.bytes) }
    var name: String { "\(self.group)/\(self.id)" }

    /// All cases; empty without the shared material.
    static func load() throws -> [HTTP1Case] {
        guard let folder = SharedMaterial.folder else { return [] }
        let data = try Data(contentsOf: folder.appending(path: "fixtures/http11-cases.json"))
        return try JSONDecoder().decode([HTTP1Case].self, from: data)
    }
}
