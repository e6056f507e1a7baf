import JSONScan

/// The members of a JSON object that a request consists of, each checked when it is asked for; null counts as missing.
struct JSONFields {
    /// The JSON text, checked.
    let scanner: JSONScanner

    /// Takes the text.
    ///
    /// - Parameter name: What it is called in a refusal.
    /// - Throws: 400/40001 when it is no JSON object.
    init(_ bytes: [UInt8], called name: String) throws(PlatformError) {
        do throws(JSONScanError) {
            self.scanner = try JSONScanner(validating: bytes, maximumDepth: 32)
        } catch {
            throw .invalid("\(name) is not JSON")
        }
        guard self.scanner.root?.kind == .object else { throw .invalid("\(name) is not a JSON object") }
    }

    private func value(_ name: String) -> JSONValueRange? {
        self.scanner.value(at: name).flatMap { $0.kind == .null ? nil : $0 }
    }

    /// A text.
    func string(_ name: String) throws(PlatformError) -> String? {
        guard let value = self.value(name) else { return nil }
        guard let text = self.scanner.string(of: value) else { throw .invalid("\(name) is not a text") }
        return text
    }

    /// One of some texts.
    func string(_ name: String, of values: [String]) throws(PlatformError) -> String? {
        guard let text = try self.string(name) else { return nil }
        guard values.contains(text) else { throw .invalid("\(name) is none of \(values.joined(separator: ", "))") }
        return text
    }

    /// True or false; false when it is missing.
    func bool(_ name: String) throws(PlatformError) -> Bool {
        guard let value = self.value(name) else { return false }
        guard let bool = self.scanner.bool(of: value) else { throw .invalid("\(name) is neither true nor false") }
        return bool
    }

    /// A number from a range.
    func number(_ name: String, in range: ClosedRange<Double>) throws(PlatformError) -> Double? {
        guard let value = self.value(name) else { return nil }
        guard let number = self.scanner.double(of: value) else { throw .invalid("\(name) is not a number") }
        guard range.contains(number) else { throw .invalid("\(name) is out of range") }
        return number
    }

    /// A whole number from a range, however it is written: `50`, `50.0` and `5e1` are one.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(PlatformError) -> Int? {
        guard let number = try self.number(name, in: Double(range.lowerBound)...Double(range.upperBound)) else {
            return nil
        }
        guard let whole = Int(exactly: number) else { throw .invalid("\(name) is not a whole number") }
        return whole
    }
}
