/// Arguments sorted into positionals and options as a verb's grammar has them.
struct ParsedArguments {
    /// The positional arguments, as many as the grammar wants.
    private(set) var positionals: [String] = []
    /// The options in the order they were given, those without a value with an empty one.
    private(set) var occurrences: [(option: String, value: String)] = []
    /// Whether `--help` was among them; then nothing else was checked.
    let wantsHelp: Bool

    /// Sorts arguments.
    ///
    /// `--option value` and `--option=value` are the same; after `--` all arguments are positionals.
    init(_ arguments: [String], grammar: VerbGrammar) throws(VerbFailure) {
        let beforeDashes = arguments.prefix { $0 != "--" }
        self.wantsHelp = beforeDashes.contains("--help") || beforeDashes.contains("-h")
        guard !self.wantsHelp else { return }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                self.positionals += rest
                break
            } else if argument.hasPrefix("-"), argument != "-" {
                try self.takeOption(argument, rest: &rest, grammar: grammar)
            } else {
                self.positionals.append(argument)
            }
        }
        try self.checkPositionals(grammar)
    }

    private mutating func takeOption(
        _ argument: String,
        rest: inout ArraySlice<String>,
        grammar: VerbGrammar
    ) throws(VerbFailure) {
        let equals = argument.firstIndex(of: "=")
        let name = equals.map { String(argument[..<$0]) } ?? argument
        guard let option = grammar.options.first(where: { $0.name == name }) else {
            let names = grammar.options.map(\.name) + ["--help"]
            let advice = Spelling.nearest(to: name, among: names).map { "did you mean \($0)?" }
            let known = "known: " + names.joined(separator: ", ")
            throw CommandLine.usage("\"\(grammar.name)\" has no option \(name); \(advice ?? known)")
        }
        guard option.isRepeatable || !self.has(name) else { throw CommandLine.usage("\(name) was given twice") }
        guard let placeholder = option.value else {
            guard equals == nil else { throw CommandLine.usage("\(name) takes no value") }
            self.occurrences.append((name, ""))
            return
        }
        let value: String
        if let equals {
            value = String(argument[argument.index(after: equals)...])
        } else if let following = rest.first, !following.hasPrefix("--") {
            value = following
            rest.removeFirst()
        } else {
            throw CommandLine.usage("\(name) needs a value: \(name) \(placeholder)")
        }
        guard !value.isEmpty else { throw CommandLine.usage("\(name) needs a value that is not empty") }
        self.occurrences.append((name, value))
    }

    private func checkPositionals(_ grammar: VerbGrammar) throws(VerbFailure) {
        if self.positionals.count < grammar.positionals.count {
            let missing = grammar.positionals[self.positionals.count]
            throw CommandLine.usage("\"\(grammar.name)\" needs \(missing); the form is: \(grammar.synopsis)")
        }
        if self.positionals.count > grammar.positionals.count {
            let extra = self.positionals[grammar.positionals.count]
            throw CommandLine.usage("\"\(grammar.name)\" does not take \"\(extra)\"; the form is: \(grammar.synopsis)")
        }
        for (name, value) in zip(grammar.positionals, self.positionals) where value.isEmpty {
            throw CommandLine.usage("\(name) is empty")
        }
    }

    /// The value of an option, or nil.
    func value(_ option: String) -> String? {
        self.occurrences.first { $0.option == option }?.value
    }

    /// All values of a repeatable option.
    func values(_ option: String) -> [String] {
        self.occurrences.filter { $0.option == option }.map(\.value)
    }

    /// Whether an option was given.
    func has(_ option: String) -> Bool {
        self.occurrences.contains { $0.option == option }
    }
}
