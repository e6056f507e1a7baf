import Testing

/// Waits until something holds that other tasks bring about; the test fails when it does not in time.
///
/// It returns all the same, so that a test goes on to what lets others end.
func eventually(
    within limit: Duration = .seconds(60),
    _ condition: () async throws -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
) async rethrows {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end, !Task.isCancelled else {
            Issue.record("it did not come about", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
