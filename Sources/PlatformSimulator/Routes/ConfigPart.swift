import HTTPWire
import JSONScan

/// The `config` part of a native evaluation (contract yugu, section 4.2).
struct ConfigPart {
    /// The JSON text, checked.
    let scanner: JSONScanner

    /// Takes the text of the part.
    ///
    /// - Throws: 400/40001 when it is no JSON object.
    init(_ bytes: [UInt8]) throws(PlatformError) {
        do throws(JSONScanError) {
            self.scanner = try JSONScanner(validating: bytes, maximumDepth: 32)
        } catch {
            throw .invalid("config is not JSON")
        }
        guard self.scanner.root?.kind == .object else { throw .invalid("config is not a JSON object") }
    }

    /// Checks what is to be evaluated.
    ///
    /// The order is the platform's: coreType, referenceText, then the rest.
    ///
    /// - Throws: 400/40001 for a field outside its range.
    func input() throws(PlatformError) -> EvaluationInput {
        guard let name = self.string("coreType"), let coreType = CoreType(rawValue: name) else {
            throw .invalid("coreType is missing or unknown")
        }
        guard let text = self.string("referenceText"), text.contains(where: { !$0.isWhitespace }) else {
            throw .invalid("referenceText is missing")
        }
        guard text.utf16.count <= 1_000 else { throw .invalid("referenceText is longer than 1000 characters") }
        let language = self.string("language") ?? "en-US"
        guard language.hasPrefix("zh") || language.hasPrefix("en") else { throw .invalid("language is unknown") }
        var input = EvaluationInput(coreType: coreType, referenceText: text, isChinese: language.hasPrefix("zh"))
        input.includesReport = self.bool("includeReport")
        input.includesStandardAudio = self.bool("includeStandardAudio")
        input.includesASRText = self.bool("includeAsrText")
        if let scale = try self.number("scale", in: 1...100) { input.scale = Int(scale) }
        input.precision = try self.number("precision", in: Double.leastNonzeroMagnitude...1)
        if let group = try self.number("agegroup", in: 1...3) { input.ageGroup = Int(group) }
        _ = try self.number("slack", in: -1...1)
        _ = try self.number("toneWeight", in: 0...1)
        if let details = try self.number("paragraphNeedWordScore", in: 0...1) { input.includesDetails = details == 1 }
        if let pinyin = self.string("refPinyin") {
            input.refPinyin = pinyin.split(whereSeparator: \.isWhitespace).map(String.init)
        }
        guard coreType != .pinyin || !input.refPinyin.isEmpty else {
            throw .invalid("coreType pinyin needs refPinyin, for instance \"chong2 qing4\"")
        }
        if let type = self.string("taskType") {
            guard ["picture", "situational", "free"].contains(type) else { throw .invalid("taskType is unknown") }
            input.taskType = type
        }
        return input
    }

    private func string(_ name: String) -> String? {
        self.scanner.value(at: name).flatMap { self.scanner.string(of: $0) }
    }

    private func bool(_ name: String) -> Bool {
        self.scanner.value(at: name).flatMap { self.scanner.bool(of: $0) } ?? false
    }

    private func number(_ name: String, in range: ClosedRange<Double>) throws(PlatformError) -> Double? {
        guard let value = self.scanner.value(at: name), value.kind != .null else { return nil }
        guard let number = self.scanner.double(of: value), range.contains(number) else {
            throw .invalid("\(name) is out of range")
        }
        return number
    }
}
