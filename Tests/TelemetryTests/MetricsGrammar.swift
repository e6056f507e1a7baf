import Testing

/// A strict reader of Prometheus' text format 0.0.4, written after its specification and not after the writer.
struct MetricsGrammar {
    struct Sample: Equatable {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    struct Family: Equatable {
        var name: String
        var help: String
        var type: String
        var samples: [Sample] = []

        func value(_ labels: [String: String] = [:]) -> Double? {
            self.samples.first { $0.labels == labels }?.value
        }
    }

    struct Violation: Error, CustomStringConvertible {
        var description: String
    }

    private(set) var families: [Family] = []

    init(_ bytes: [UInt8]) throws {
        let text = try #require(String(validating: bytes, as: UTF8.self), "UTF-8")
        guard !text.isEmpty else { return }
        guard text.hasSuffix("\n") else { throw Violation(description: "the last line has no end") }
        var help: (name: String, text: String)?
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("# HELP ") {
                guard help == nil else { throw Violation(description: "HELP without TYPE before: \(line)") }
                let (name, text) = try Self.halves(of: line.dropFirst(7), line)
                help = (String(name), try Self.unescaped(text, quotes: false))
            } else if line.hasPrefix("# TYPE ") {
                let (name, type) = try Self.halves(of: line.dropFirst(7), line)
                guard let described = help, described.name == name else {
                    throw Violation(description: "TYPE without its HELP: \(line)")
                }
                guard ["counter", "gauge", "histogram"].contains(type) else { throw Violation(description: "\(line)") }
                guard name.wholeMatch(of: /[a-zA-Z_:][a-zA-Z0-9_:]*/) != nil else {
                    throw Violation(description: "\(line)")
                }
                guard !self.families.contains(where: { $0.name == name }) else {
                    throw Violation(description: "twice: \(line)")
                }
                self.families.append(Family(name: described.name, help: described.text, type: String(type)))
                help = nil
            } else {
                guard help == nil else { throw Violation(description: "HELP without TYPE before: \(line)") }
                try self.append(try Self.sample(line), line)
            }
        }
    }

    subscript(_ name: String) -> Family? { self.families.first { $0.name == name } }

    private mutating func append(_ sample: Sample, _ line: Substring) throws {
        guard var family = self.families.popLast() else { throw Violation(description: "before any TYPE: \(line)") }
        let names = family.type == "histogram" ? ["_bucket", "_sum", "_count"].map { family.name + $0 } : [family.name]
        guard names.contains(sample.name) else {
            throw Violation(description: "outside its family: \(line)")
        }
        guard !family.samples.contains(where: { $0.name == sample.name && $0.labels == sample.labels }) else {
            throw Violation(description: "twice: \(line)")
        }
        if family.type == "counter", !(sample.value >= 0) { throw Violation(description: "\(line)") }
        family.samples.append(sample)
        self.families.append(family)
    }

    private static func sample(_ line: Substring) throws -> Sample {
        let pattern = /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([^ ]+)/
        guard let match = line.wholeMatch(of: pattern) else { throw Violation(description: "\(line)") }
        var labels: [String: String] = [:]
        if let list = match.2 {
            var rest = list
            while true {
                guard let label = rest.prefixMatch(of: /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/) else {
                    throw Violation(description: "\(line)")
                }
                let value = try self.unescaped(label.2, quotes: true)
                guard labels.updateValue(value, forKey: String(label.1)) == nil else {
                    throw Violation(description: "a label twice: \(line)")
                }
                rest = rest[label.range.upperBound...]
                if rest.isEmpty { break }
                guard rest.popFirst() == "," else { throw Violation(description: "\(line)") }
            }
        }
        let value: Double
        switch match.3 {
        case "+Inf": value = .infinity
        case "-Inf": value = -.infinity
        case "NaN": value = .nan
        default:
            guard match.3.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?/) != nil, let number = Double(match.3)
            else {
                throw Violation(description: "\(line)")
            }
            value = number
        }
        return Sample(name: String(match.1), labels: labels, value: value)
    }

    private static func halves(of text: Substring, _ line: Substring) throws -> (Substring, Substring) {
        guard let space = text.firstIndex(of: " ") else { throw Violation(description: "\(line)") }
        return (text[..<space], text[text.index(after: space)...])
    }

    private static func unescaped(_ text: Substring, quotes: Bool) throws -> String {
        var result = ""
        var isEscaped = false
        for character in text {
            guard isEscaped else {
                isEscaped = character == "\\"
                if !isEscaped { result.append(character) }
                continue
            }
            isEscaped = false
            switch character {
            case "\\": result.append("\\")
            case "n": result.append("\n")
            case "\"" where quotes: result.append("\"")
            default: throw Violation(description: "an unknown escape: \(text)")
            }
        }
        guard !isEscaped else { throw Violation(description: "half an escape: \(text)") }
        return result
    }
}
