/// A generator whose sequence is known from its seed, so that a failure can be repeated: SplitMix64.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// A generator at the start of the sequence of a seed.
    public init(seed: UInt64) {
        self.state = seed
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var word = self.state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
