internal import JSONScan

/// A page of a list as callers read it, in each of the forms.
public struct ListPage: Sendable {
    /// What a row has under a name.
    enum Value: Sendable {
        case text(String?)
        case count(Int)
        case number(Double?)
    }

    /// What JSON calls the rows.
    let name: String
    let columns: [String]
    /// As many values each as there are columns.
    let rows: [[Value]]
    /// Where the list goes on; nil at its end.
    let nextCursor: String?

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
            json.array(self.name) { list in
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

    private func describe(_ row: [Value], into json: inout JSONObjectWriter) {
        for (name, value) in zip(self.columns, row) {
            switch value {
            case .text(let text): json.member(name, text)
            case .count(let count): json.member(name, count)
            case .number(let number): json.member(name, number)
            }
        }
    }

    private func csv(withNames: Bool) -> [UInt8] {
        var writer = CSVWriter()
        if withNames { writer.line(self.columns) }
        for row in self.rows {
            writer.line(
                row.map { value in
                    switch value {
                    case .text(let text): text
                    case .count(let count): "\(count)"
                    case .number(let number): number.map { "\($0)" }
                    }
                }
            )
        }
        return writer.bytes
    }
}
