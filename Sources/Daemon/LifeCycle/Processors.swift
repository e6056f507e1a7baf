internal import FoundationEssentials

/// The machine's processors.
enum Processors {
    /// How many this process may run on.
    static var count: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }
}
