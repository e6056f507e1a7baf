/// The bounds of one HTTP/1 message: what lies beyond them is refused without waiting for its end.
public struct HTTP1Limits: Sendable {
    /// The longest request line in bytes, without its line end; 414 beyond.
    ///
    /// The default is 16 KiB.
    public var requestLine = 16 << 10
    /// The largest head in bytes, from the request line to the empty line; 431 beyond.
    ///
    /// The default is 64 KiB.
    public var headBytes = 64 << 10
    /// The most field lines of a head, and of a trailer section; 431 beyond.
    ///
    /// The default is 100.
    public var fieldCount = 100
    /// The most empty lines in front of a request line (RFC 9112, section 2.2); 400 beyond.
    ///
    /// The default is 8.
    public var leadingEmptyLines = 8
    /// The largest content in bytes, declared or in chunks; 413 beyond.
    ///
    /// The default is 4 GiB.
    public var contentBytes = 4 << 30
    /// The longest line that opens a chunk, in bytes.
    ///
    /// The default is 4 KiB.
    public var chunkLine = 4 << 10
    /// How many bytes of chunk extensions and leading zeros are borne beyond the bytes of content received.
    ///
    /// The default is 16 KiB.
    public var chunkOverhead = 16 << 10
    /// The largest trailer section in bytes.
    ///
    /// The default is 16 KiB.
    public var trailerBytes = 16 << 10

    /// Whether anything is borne between the size of a chunk and the end of its line, and LF alone for a line end of chunks.
    ///
    /// The default is false.
    ///
    /// Old servers pad sizes with blanks. Of an answer that is harmless; two readers of a request could take it differently.
    public var bearsLooseChunks = false

    /// The default limits.
    public init() {}
}
