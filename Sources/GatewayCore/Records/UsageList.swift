internal import JSONScan
public import Store

/// A page of usage as callers read it.
public struct UsageList: Sendable {
    private static let countNames = ["calls", "billed", "replayed", "failed", "unknown", "audioSeconds"]

    private let rows: [UsageRow]
    private let grouping: UsageGrouping
    private let nextCursor: String?

    /// Takes a page.
    ///
    /// - Parameter nextCursor: Where the list goes on; nil at its end.
    public init(_ rows: [UsageRow], by grouping: UsageGrouping, nextCursor: String? = nil) {
        self.rows = rows
        self.grouping = grouping
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
            json.array("usage") { list in
                for row in self.rows { list.object { self.describe(row, into: &$0) } }
            }
            json.member("nextCursor", self.nextCursor)
        }
        return writer.bytes
    }

    private var lines: [UInt8] {
        var writer = JSONWriter()
        for row in self.rows {
            writer.object { self.describe(row, into: &$0) }
            writer.lineFeed()
        }
        return writer.bytes
    }

    private func csv(withNames: Bool) -> [UInt8] {
        var writer = CSVWriter()
        if withNames { writer.line([self.grouping.rawValue] + Self.countNames) }
        for row in self.rows {
            let counts = row.counts
            let numbers = [counts.calls, counts.billed, counts.replayed, counts.failed, counts.unknown]
            writer.line([self.name(row)] + numbers.map { "\($0)" } + ["\(Self.seconds(counts))"])
        }
        return writer.bytes
    }

    private func describe(_ row: UsageRow, into json: inout JSONObjectWriter) {
        json.member(self.grouping.rawValue, self.name(row))
        json.member("calls", row.counts.calls)
        json.member("billed", row.counts.billed)
        json.member("replayed", row.counts.replayed)
        json.member("failed", row.counts.failed)
        json.member("unknown", row.counts.unknown)
        json.member("audioSeconds", Self.seconds(row.counts))
    }

    /// Nil for calls without a user.
    private func name(_ row: UsageRow) -> String? {
        guard self.grouping == .day else { return row.group.isEmpty ? nil : row.group }
        return Int64(row.group).map { String(Timestamp.text(unixMilliseconds: $0 * 86_400_000).prefix(10)) }
    }

    private static func seconds(_ counts: UsageCounts) -> Double {
        Double(counts.audioMilliseconds) / 1000
    }
}
