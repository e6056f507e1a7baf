import Testing

/// Looks until something is so; a test for which it does not come to be so within a minute fails, in place of waiting for
/// ever.
func eventually(
    _ claim: String,
    at location: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        try #require(ContinuousClock.now < deadline, "not within a minute: \(claim)", sourceLocation: location)
        try await Task.sleep(for: .milliseconds(2))
    }
}
