/// The bounds of one multipart content, apart from the bytes of its parts: those are the consumer's to count.
public struct MultipartLimits: Sendable {
    /// The most parts.
    ///
    /// The default is 64.
    public var partCount = 64
    /// The largest head of one part in bytes, with its empty line.
    ///
    /// The default is 16 KiB.
    public var partHeadBytes = 16 << 10
    /// The most field lines of one part.
    ///
    /// The default is 32.
    public var fieldCount = 32
    /// The most bytes in front of the first delimiter.
    ///
    /// The default is 1 KiB.
    public var preambleBytes = 1 << 10
    /// The most bytes behind the line of the last delimiter.
    ///
    /// The default is 1 KiB.
    public var epilogueBytes = 1 << 10
    /// The most blanks behind a delimiter.
    ///
    /// The default is 64.
    public var paddingBytes = 64

    /// The default limits.
    public init() {}
}
