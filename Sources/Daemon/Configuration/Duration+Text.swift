/// Spans of time that are written with their unit: `"30s"`.
extension Duration {
    private static let textUnits: [(suffix: String, milliseconds: Int)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// Reads a whole number with one of the units ms, s, m, h and d; nil when the text is none, or too large.
    init?(configurationText text: String) {
        guard let (count, unit) = QuantityText.split(text),
            let milliseconds = Self.textUnits.first(where: { $0.suffix == unit })?.milliseconds
        else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: milliseconds)
        guard !overflow else { return nil }
        self = .milliseconds(product)
    }

    /// The span in its largest whole unit, to the millisecond.
    var configurationText: String {
        let total = Int(self.components.seconds) * 1_000 + Int(self.components.attoseconds / 1_000_000_000_000_000)
        for unit in Self.textUnits where total >= unit.milliseconds && total % unit.milliseconds == 0 {
            return "\(total / unit.milliseconds)\(unit.suffix)"
        }
        return "0s"
    }
}
