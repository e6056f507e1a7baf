public import JSONScan
public import Store

/// A page of records as callers read it.
public struct RecordList: Sendable {
    private let records: [RecordSummary]
    private let nextCursor: String?

    /// Takes a page.
    ///
    /// - Parameter nextCursor: Where the list goes on; nil at its end.
    public init(_ records: [RecordSummary], nextCursor: String? = nil) {
        self.records = records
        self.nextCursor = nextCursor
    }

    /// The page in a form; in the line forms the cursor has no place.
    ///
    /// - Parameter isFirst: Whether CSV begins with the line of names.
    public func bytes(as format: ListFormat, isFirst: Bool = true) -> [UInt8] {
        switch format {
        case .json: self.json
        case .ndjson: self.lines
        case .csv: self.csv(withNames: isFirst)
        }
    }

    private var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { json in
            json.array("records") { list in
                for record in self.records { list.object { Self.describe(record, into: &$0) } }
            }
            json.member("nextCursor", self.nextCursor)
        }
        return writer.bytes
    }

    private var lines: [UInt8] {
        var writer = JSONWriter()
        for record in self.records {
            writer.object { Self.describe(record, into: &$0) }
            writer.lineFeed()
        }
        return writer.bytes
    }

    private func csv(withNames: Bool) -> [UInt8] {
        var writer = CSVWriter()
        if withNames { writer.line(["recordId", "userId", "operation", "coreType", "overall", "createdAt", "key"]) }
        for record in self.records {
            writer.line([
                record.recordID, record.user, record.operation, record.coreType,
                record.overall.map { "\($0)" }, Timestamp.text(unixMilliseconds: record.position.createdAt),
                record.key,
            ])
        }
        return writer.bytes
    }

    /// Adds a record's members to an object.
    public static func describe(_ record: RecordSummary, into json: inout JSONObjectWriter) {
        json.member("recordId", record.recordID)
        json.member("userId", record.user)
        json.member("operation", record.operation)
        json.member("coreType", record.coreType)
        json.member("overall", record.overall)
        json.member("createdAt", Timestamp.text(unixMilliseconds: record.position.createdAt))
        json.member("key", record.key)
    }
}
