/// Runs an incremental parser over one input cut in many ways: what it finds must not depend on the cuts.
///
/// The input is fed whole, byte by byte, at every split in two, at random, and with empty pieces in between. Each piece
/// is lent in memory of exactly its size that is overwritten afterwards, so that a parser which keeps a pointer is found
/// out.
public enum ParserVerifier {
    /// A cutting whose outcome is not the one of the whole input.
    public struct Difference<Outcome>: CustomStringConvertible {
        /// How the input was cut.
        public let cutting: String
        /// What the parser found then.
        public let found: Outcome
        /// What it should have found.
        public let expected: Outcome

        /// All three in one line.
        public var description: String {
            "\(self.cutting): found \(self.found), expected \(self.expected)"
        }
    }

    /// Cuts an input in all ways and compares what is found with what is expected.
    ///
    /// - Parameters:
    ///   - input: The bytes of one or several messages.
    ///   - expected: What each run has to find.
    ///   - everySplit: Up to which size in bytes every split in two is tried; a longer input is split in 8 places
    ///     spread over it. The default is 2048.
    ///   - run: Makes a new parser and takes pieces one by one from the closure, until it gives nil; returns what was
    ///     found. It has to join pieces of content, as their number depends on the cuts.
    /// - Returns: The first differences, at most three; empty when all is well.
    public static func differences<Outcome: Equatable>(
        of input: [UInt8],
        expected: Outcome,
        everySplit: Int = 2048,
        run: (_ feed: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) -> Outcome
    ) -> [Difference<Outcome>] {
        var result: [Difference<Outcome>] = []
        func attempt(_ cutting: @autoclosure () -> String, _ ends: some Sequence<Int>) {
            guard result.count < 3 else { return }
            let found = run { take in
                var start = 0
                for end in ends {
                    try self.lend(input[start..<end], to: take)
                    start = end
                }
                try self.lend(input[start...], to: take)
            }
            if found != expected {
                result.append(Difference(cutting: cutting(), found: found, expected: expected))
            }
        }
        attempt("whole", [])
        attempt("byte by byte", 1..<max(1, input.count))
        if input.count <= everySplit {
            attempt("byte by byte with empty pieces", (0..<input.count).flatMap { [$0, $0] })
        }
        for size in [2, 3, 7, 16, 61, 1024] where size < input.count {
            attempt("pieces of \(size)", stride(from: size, to: input.count, by: size))
        }
        let step = input.count > everySplit ? input.count / 8 : 1
        for split in stride(from: 1, to: max(1, input.count), by: step) {
            attempt("split at \(split)", [split])
        }
        for seed in UInt64(1)...3 {
            attempt("random pieces, seed \(seed)", self.randomEnds(in: input.count, seed: seed))
        }
        return result
    }

    /// Where pieces end whose sizes are of all orders of magnitude; none is empty, nor is what remains.
    ///
    /// - Parameters:
    ///   - count: The size of the input.
    ///   - seed: Another seed gives other pieces.
    /// - Returns: The ends in ascending order.
    public static func randomEnds(in count: Int, seed: UInt64) -> [Int] {
        var generator = SeededGenerator(seed: seed)
        let magnitudes = Int.bitWidth - count.leadingZeroBitCount
        var ends: [Int] = []
        while true {
            let magnitude = Int.random(in: 0...magnitudes, using: &generator)
            let end = (ends.last ?? 0) + Int.random(in: 1...1 << magnitude, using: &generator)
            guard end < count else { return ends }
            ends.append(end)
        }
    }

    /// Lends bytes in memory of their own, which is spoilt afterwards.
    private static func lend(_ bytes: ArraySlice<UInt8>, to take: (UnsafeRawBufferPointer) throws -> Void) throws {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer {
            memory.initializeMemory(as: UInt8.self, repeating: 0xA5)
            memory.deallocate()
        }
        memory.copyBytes(from: bytes)
        try take(UnsafeRawBufferPointer(memory))
    }
}
