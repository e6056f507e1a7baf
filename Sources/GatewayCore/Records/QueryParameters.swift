internal import HTTPWire

/// The parameters of a request's query, each at most once, none unknown.
struct QueryParameters: Sendable {
    private var values: [String: String] = [:]

    /// Reads a query.
    ///
    /// - Parameter known: The names that the route takes.
    /// - Throws: 400/40001 with the parameter's name.
    init(_ query: String?, known: [String]) throws(GatewayError) {
        for pair in (query ?? "").split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decode(String(halves[0])), known.contains(name) else {
                throw .invalid("The query has an unknown parameter; known: \(known.joined(separator: ", ")).")
            }
            guard halves.count == 2, let value = PercentCoding.decode(String(halves[1])) else {
                throw .invalid("\(name): the value must be UTF-8, percent-encoded: \(name)=VALUE.")
            }
            guard self.values.updateValue(value, forKey: name) == nil else {
                throw .invalid("\(name): the parameter stands in the query twice; send it once.")
            }
        }
    }

    /// A value as it is; nil when the parameter is absent.
    func text(_ name: String) -> String? {
        self.values[name]
    }

    /// A user's name.
    func user(_ name: String) throws(GatewayError) -> String? {
        guard let value = self.values[name] else { return nil }
        guard UserID.isValid(value) else {
            throw .invalid("\(name): 1 to 128 letters, digits or . _ : @ - are wanted.")
        }
        return value
    }

    /// A moment in Unix milliseconds.
    func moment(_ name: String) throws(GatewayError) -> Int64? {
        guard let value = self.values[name] else { return nil }
        guard let moment = Timestamp.unixMilliseconds(of: value) else {
            throw .invalid("\(name): a time as 2026-11-30T08:00:00Z (RFC 3339), or a date as 2026-11-30, is wanted.")
        }
        return moment
    }

    /// `from` and `to`: the first moment that belongs to the time, and the first that no longer does.
    func time() throws(GatewayError) -> Range<Int64> {
        let from = try self.moment("from") ?? 0
        let to = try self.moment("to") ?? .max
        guard from < to else { throw .invalid("to: it must be later than from.") }
        return from..<to
    }

    /// A number of rows.
    func limit(default usual: Int, maximum: Int) throws(GatewayError) -> Int {
        guard let value = self.values["limit"] else { return usual }
        guard let limit = Int(value), (1...maximum).contains(limit) else {
            throw .invalid("limit: a number from 1 to \(maximum) is wanted.")
        }
        return limit
    }
}
