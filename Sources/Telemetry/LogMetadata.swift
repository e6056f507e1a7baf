/// The data of a log message, in the order given.
///
/// Keys are constants: they come from the code and never from a request.
public struct LogMetadata: Sendable, ExpressibleByDictionaryLiteral {
    /// Keys and values; no key occurs twice.
    private(set) var entries: [(key: StaticString, value: LogValue)] = []

    /// Makes none, with room for some.
    public init(capacity: Int) {
        self.entries.reserveCapacity(capacity)
    }

    /// Takes keys and values; the last value of a repeated key wins.
    public init(dictionaryLiteral elements: (StaticString, LogValue)...) {
        self.entries.reserveCapacity(elements.count)
        for (key, value) in elements { self[key] = value }
    }

    /// The value of a key; setting nil removes it.
    public subscript(_ key: StaticString) -> LogValue? {
        get { self.entries.first { Self.areEqual($0.key, key) }?.value }
        set {
            let index = self.entries.firstIndex { Self.areEqual($0.key, key) }
            switch (index, newValue) {
            case (let index?, let value?): self.entries[index].value = value
            case (let index?, nil): self.entries.remove(at: index)
            case (nil, let value?): self.entries.append((key, value))
            case (nil, nil): break
            }
        }
    }

    /// Adds a key that is not there yet, which nobody looks for.
    public mutating func append(_ key: StaticString, _ value: LogValue) {
        assert(!self.entries.contains { Self.areEqual($0.key, key) }, "\(key) is there")
        self.entries.append((key, value))
    }

    private static func areEqual(_ left: StaticString, _ right: StaticString) -> Bool {
        left.withUTF8Buffer { left in
            right.withUTF8Buffer { right in
                left.baseAddress == right.baseAddress && left.count == right.count || left.elementsEqual(right)
            }
        }
    }
}
