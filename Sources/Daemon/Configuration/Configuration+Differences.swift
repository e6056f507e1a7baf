/// Which settings of two configurations differ.
extension Configuration {
    /// The paths of the settings that another configuration has differently, in the order of the properties.
    ///
    /// Properties have the names of their keys, so the values themselves are walked, and a new setting cannot be
    /// forgotten here. Settings hold no secrets, only where they are.
    func differences(from other: Configuration) -> [String] {
        var paths: [String] = []
        Self.compare(self, other, path: "", groups: Self.groups, into: &paths)
        return paths
    }

    /// The paths of settings that only hold others.
    private static let groups = Set(
        Configuration.settingPaths().flatMap { path in
            let names = path.split(separator: ".")
            return names.indices.dropFirst().map { names[..<$0].joined(separator: ".") }
        }
    )

    private static func compare(
        _ value: Any,
        _ other: Any,
        path: String,
        groups: Set<String>,
        into paths: inout [String]
    ) {
        guard path.isEmpty || groups.contains(path) else {
            if value as? AnyHashable != other as? AnyHashable { paths.append(path) }
            return
        }
        for (child, otherChild) in zip(Mirror(reflecting: value).children, Mirror(reflecting: other).children) {
            guard let name = child.label else { continue }
            let inner = ConfigurationObject.join(path, name)
            Self.compare(child.value, otherChild.value, path: inner, groups: groups, into: &paths)
        }
    }
}
