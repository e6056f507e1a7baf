/// What a test waited for, and in vain.
public struct WaitedInVain: Error, CustomStringConvertible {
    /// What was to happen.
    public let description: String
}

/// Looks again and again until something holds that another process, thread or task brings about.
///
/// - Parameters:
///   - what: What is waited for.
///   - limit: For how long; where what is waited for can fail, a test is to fail with it and not to hang.
/// - Throws: ``WaitedInVain``, or what the look throws.
public func until(_ what: String, within limit: Duration = .seconds(60), _ holds: () async throws -> Bool) async throws
{
    let end = ContinuousClock.now + limit
    while try await !holds() {
        guard ContinuousClock.now < end else { throw WaitedInVain(description: "waited in vain until \(what)") }
        try await Task.sleep(for: .milliseconds(10))
    }
}
