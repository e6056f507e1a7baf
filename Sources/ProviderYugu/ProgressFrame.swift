internal import JSONScan

/// Progress frames, of which each tells `words` that the ones before did not (contract yugu, section 10.3).
enum ProgressFrame {
    /// A frame without the first so many entries of its `words`, and with those of a frame whose place it takes.
    static func frame(_ frame: [UInt8], droppingWords count: Int, inPlaceOf waiting: [UInt8]?) -> [UInt8] {
        let newer = Self.dropping(count, of: frame)
        guard let waiting else { return newer }
        // One that tells of bytes alone takes nobody's place who tells more.
        guard Self.tellsReading(newer) || !Self.tellsReading(waiting) else { return waiting }
        return Self.inserting(Self.entries(of: waiting), into: newer)
    }

    private static func words(_ scanner: JSONScanner) -> JSONValueRange? {
        scanner.value(at: "result", "words").flatMap { $0.kind == .array ? $0 : nil }
    }

    private static func tellsReading(_ frame: [UInt8]) -> Bool {
        JSONScanner(frame).value(at: "result", "progress") != nil
    }

    private static func dropping(_ count: Int, of frame: [UInt8]) -> [UInt8] {
        let scanner = JSONScanner(frame)
        guard count > 0, let words = Self.words(scanner) else { return frame }
        let entries = Array(scanner.elements(of: words))
        guard let first = entries.first else { return frame }
        var frame = frame
        let end = count < entries.count ? entries[count].range.lowerBound : words.range.upperBound - 1
        frame.removeSubrange(first.range.lowerBound..<end)
        return frame
    }

    /// The text of all entries, with their commas.
    private static func entries(of frame: [UInt8]) -> [UInt8] {
        let scanner = JSONScanner(frame)
        let entries = Self.words(scanner).map { Array(scanner.elements(of: $0)) } ?? []
        guard let first = entries.first, let last = entries.last else { return [] }
        return Array(frame[first.range.lowerBound..<last.range.upperBound])
    }

    private static func inserting(_ entries: [UInt8], into frame: [UInt8]) -> [UInt8] {
        let scanner = JSONScanner(frame)
        guard !entries.isEmpty, let result = scanner.value(at: "result") else { return frame }
        var frame = frame
        if let words = Self.words(scanner) {
            let isAlone = Array(scanner.elements(of: words)).isEmpty
            frame.insert(contentsOf: entries + (isAlone ? [] : Array(",".utf8)), at: words.range.lowerBound + 1)
        } else if let other = scanner.value(at: "result", "words") {
            frame.replaceSubrange(other.range, with: "[".utf8 + entries + "]".utf8)
        } else if Self.tellsReading(frame) {
            // Nothing new was read, so there is no list; what tells of reading is the member that follows.
            frame.insert(contentsOf: #""words":["#.utf8 + entries + "],".utf8, at: result.range.lowerBound + 1)
        }
        return frame
    }
}
