public import Testing

/// Looks again and again until something holds that another process, thread or task brings about.
///
/// A test for which it does not come about in time fails, and goes on: so it comes to what lets others end.
///
/// - Parameters:
///   - what: What is waited for.
///   - limit: For how long.
/// - Throws: What the look throws.
public func until(
    _ what: String? = nil,
    within limit: Duration = .seconds(50),
    at location: SourceLocation = #_sourceLocation,
    _ holds: () async throws -> Bool
) async rethrows {
    let end = ContinuousClock.now + limit
    while try await !holds() {
        guard ContinuousClock.now < end, !Task.isCancelled else {
            Issue.record("waited in vain until \(what ?? "it came about")", sourceLocation: location)
            return
        }
        try? await Task.sleep(for: .milliseconds(2))
    }
}
