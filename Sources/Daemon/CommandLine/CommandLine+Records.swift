internal import FoundationEssentials
internal import GatewayCore
internal import Store

/// The arguments of `records …` and `usage`.
extension CommandLine {
    static func records(_ parsed: ParsedArguments) throws(VerbFailure) -> AdministrationCommand {
        var list = RecordListing(client: try Self.recordsClient(parsed))
        list.user = parsed.value("--user")
        list.from = try Self.moment("--from", parsed)
        list.to = try Self.moment("--to", parsed)
        list.isTable = try Self.isTable(parsed)
        return .listRecords(list)
    }

    static func erasure(_ parsed: ParsedArguments) throws(VerbFailure) -> AdministrationCommand {
        let client = try Self.recordsClient(parsed)
        switch (parsed.value("--id"), parsed.value("--user")) {
        case (let recordID?, nil): return .eraseRecord(recordID, client: client)
        case (nil, let user?): return .eraseUser(user, client: client)
        default: throw Self.usage("\"records delete\" needs exactly one of --id RECORD and --user USER")
        }
    }

    static func usageListing(_ parsed: ParsedArguments) throws(VerbFailure) -> AdministrationCommand {
        var list = UsageListing()
        list.client = try parsed.value("--client").map { (name) throws(VerbFailure) in
            try Self.clientName(name, of: "--client")
        }
        if let text = parsed.value("--group-by") {
            guard let grouping = UsageGrouping(rawValue: text) else {
                let known = UsageGrouping.allCases.map(\.rawValue).joined(separator: ", ")
                throw Self.usage("--group-by: one of \(known) is wanted, not \"\(text)\"")
            }
            list.grouping = grouping
        }
        list.from = try Self.moment("--from", parsed)
        list.to = try Self.moment("--to", parsed)
        if let from = list.from, let to = list.to, from >= to { throw Self.usage("--to: it must be later than --from") }
        list.isTable = try Self.isTable(parsed)
        return .listUsage(list)
    }

    static func recordsClient(_ parsed: ParsedArguments) throws(VerbFailure) -> String {
        guard let client = parsed.value("--client") else {
            throw Self.usage("--client NAME is needed: record ids and users of different clients may be equal")
        }
        return try Self.clientName(client, of: "--client")
    }

    /// The daemon works in another directory.
    static func wholePath(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    private static func moment(_ option: String, _ parsed: ParsedArguments) throws(VerbFailure) -> Int64? {
        guard let text = parsed.value(option) else { return nil }
        guard let moment = Timestamp.unixMilliseconds(of: text) else {
            let wanted = "a time as 2026-11-30T08:00:00Z, or a date as 2026-11-30, is wanted"
            throw Self.usage("\(option): \(wanted), not \"\(text)\"")
        }
        return moment
    }

    private static func isTable(_ parsed: ParsedArguments) throws(VerbFailure) -> Bool {
        switch parsed.value("--format") {
        case nil, "ndjson": return false
        case "csv": return true
        case let other?: throw Self.usage("--format: \"ndjson\" or \"csv\" is wanted, not \"\(other)\"")
        }
    }
}
