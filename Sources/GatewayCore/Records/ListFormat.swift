internal import HTTPWire

/// The forms in which a list is given.
public enum ListFormat: String, CaseIterable, Sendable {
    /// One object with all rows.
    case json = "application/json"
    /// One object a line.
    case ndjson = "application/x-ndjson"
    /// RFC 4180, with a line of names first.
    case csv = "text/csv"

    /// The form that a request prefers; JSON where it does not say, and where it wants what there is not.
    init(accepting fields: HTTPFields) {
        var best = (format: ListFormat.json, weight: 0.0)
        for item in fields.values(of: .accept).joined(separator: ",").split(separator: ",") {
            let parts = item.split(separator: ";").map { $0.drop { $0 == " " }.prefix { $0 != " " }.lowercased() }
            guard let type = parts.first, let format = ListFormat(rawValue: type) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if weight > best.weight { best = (format, weight) }
        }
        self = best.format
    }
}
