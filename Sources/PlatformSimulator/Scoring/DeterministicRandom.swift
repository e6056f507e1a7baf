/// Numbers that look random and follow from a seed (SplitMix64): the same text and audio always score the same.
struct DeterministicRandom: Sendable {
    private var state: UInt64

    /// Starts a sequence.
    init(seed: UInt64) {
        self.state = seed
    }

    /// Starts a sequence that every byte of the given texts and numbers has a part in (FNV-1a).
    init(texts: [String], seed: UInt64) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
        for text in texts {
            for byte in text.utf8 {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            }
            hash = (hash ^ 0xFF) &* 0x100_0000_01B3
        }
        self.state = hash
    }

    /// The next 64 bits.
    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(self.state)
    }

    /// A whole number from a range, near enough to evenly spread.
    mutating func integer(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(self.next() >> 33) % range.count
    }

    /// A fraction from 0 up to 1.
    mutating func fraction() -> Double {
        Double(self.next() >> 11) / Double(1 << 53)
    }

    /// Whether something of the given probability happens.
    mutating func chance(_ probability: Double) -> Bool {
        self.fraction() < probability
    }

    /// Spreads the bits of a number.
    static func mix(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
