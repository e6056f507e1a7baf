/// Finds what a mistyped word was meant to be.
enum Spelling {
    /// The candidate nearest to a word, or nil when none is near enough to be a plausible slip.
    ///
    /// Case does not count. The first of equally near candidates wins.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let wanted = word.lowercased()
        // A third of the letters may be wrong; in short words one.
        let limit = max(1, wanted.count / 3)
        let ranked = candidates.map { (candidate: $0, distance: Self.distance(wanted, $0.lowercased())) }
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit {
            return best.candidate
        }
        // "maxConnections" for "connections", "cert" for "certificateAuthorityFile".
        guard wanted.count >= 4 else { return nil }
        return candidates.first { candidate in
            let known = candidate.lowercased()
            return known.hasPrefix(wanted) || (known.count >= 4 && wanted.hasSuffix(known))
        }
    }

    /// How many letters must be put in, taken out, changed or swapped with their neighbour (Damerau and Levenshtein,
    /// in the form that edits no stretch twice).
    static func distance(_ left: String, _ right: String) -> Int {
        let a = Array(left)
        let b = Array(right)
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                let change = a[i - 1] == b[j - 1] ? 0 : 1
                var best = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + change)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    best = min(best, beforeLast[j - 2] + 1)
                }
                row.append(best)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
