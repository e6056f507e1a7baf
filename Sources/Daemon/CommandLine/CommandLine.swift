internal import GatewayCore

/// What a command line asks for; the arguments are checked, nothing has been done.
///
/// The standard library's type of that name is `Swift.CommandLine`.
struct CommandLine: Hashable, Sendable {
    /// A verb with its arguments.
    enum Action: Hashable, Sendable {
        case help(String)
        case version
        case serve(listen: [String], readyFile: String?)
        case check
        case administer(AdministrationCommand)
        case doctor
        case sign(SigningArguments)
        case stream(StreamArguments)
    }

    /// What `sign` was given.
    struct SigningArguments: Hashable, Sendable {
        /// Where the secret is.
        enum SecretSource: Hashable, Sendable {
            case file(String)
            case account(String)
        }

        /// The value of a parameter.
        enum Value: Hashable, Sendable {
            case text(String)
            case file(String)
        }

        /// A parameter.
        struct Parameter: Hashable, Sendable {
            let name: String
            let value: Value
        }

        let secret: SecretSource
        let parameters: [Parameter]
    }

    /// What to do.
    let action: Action
    /// The value of `--config`.
    var configurationFile: String?

    /// Reads a command line.
    ///
    /// - Parameter arguments: Without the program's name.
    /// - Throws: ``VerbFailure`` with exit code 64.
    static func parse(_ arguments: [String]) throws(VerbFailure) -> CommandLine {
        guard let first = arguments.first else {
            throw Self.usage("a verb is missing; speechgate --help lists them")
        }
        switch first {
        case "--help", "-h", "help":
            return CommandLine(action: .help(try Self.helpText(on: Array(arguments.dropFirst()))))
        case "--version":
            return CommandLine(action: .version)
        default:
            break
        }
        guard !first.hasPrefix("-") else {
            throw Self.usage("the verb comes before its options; speechgate --help lists the verbs")
        }
        let rest = arguments.dropFirst()
        if let group = Self.group(first), rest.isEmpty || rest.first == "--help" || rest.first == "-h" {
            guard !rest.isEmpty else {
                throw Self.usage("\"\(first)\" needs one of \(group.map { "\"\($0)\"" }.joined(separator: ", "))")
            }
            return CommandLine(action: .help(try Self.helpText(on: [first])))
        }
        let grammar = try Self.grammar(of: arguments)
        let parsed = try ParsedArguments(Array(arguments.dropFirst(grammar.words.count)), grammar: grammar)
        if parsed.wantsHelp { return CommandLine(action: .help(grammar.help)) }
        return CommandLine(action: try Self.action(grammar, parsed), configurationFile: parsed.value("--config"))
    }

    // MARK: - Verbs

    /// The second words of verbs of two words, or nil when `word` begins none.
    private static func group(_ word: String) -> [String]? {
        guard !VerbGrammar.all.contains(where: { $0.words == [word] }) else { return nil }
        let seconds = VerbGrammar.all.filter { $0.words.count == 2 && $0.words[0] == word }.map { $0.words[1] }
        return seconds.isEmpty ? nil : seconds
    }

    private static func grammar(of arguments: [String]) throws(VerbFailure) -> VerbGrammar {
        for grammar in VerbGrammar.all where arguments.starts(with: grammar.words) {
            return grammar
        }
        if let seconds = Self.group(arguments[0]) {
            let advice = Spelling.nearest(to: arguments[1], among: seconds).map { "did you mean \"\($0)\"?" }
            let known = "known: " + seconds.joined(separator: ", ")
            throw Self.usage("\"\(arguments[0])\" has no \"\(arguments[1])\"; \(advice ?? known)")
        }
        var firsts: [String] = []
        for grammar in VerbGrammar.all where !firsts.contains(grammar.words[0]) { firsts.append(grammar.words[0]) }
        let advice = Spelling.nearest(to: arguments[0], among: firsts).map { "did you mean \"\($0)\"?" }
        let known = "known: " + firsts.joined(separator: ", ")
        throw Self.usage("unknown verb \"\(arguments[0])\"; \(advice ?? known)")
    }

    private static func helpText(on words: [String]) throws(VerbFailure) -> String {
        guard let first = words.first, !first.hasPrefix("-") else { return Self.overview }
        if Self.group(first) != nil, words.count == 1 {
            let verbs = VerbGrammar.all.filter { $0.words[0] == first }
            return verbs.map(\.help).joined(separator: "\n\n")
        }
        return try Self.grammar(of: words).help
    }

    private static var overview: String {
        let rows = VerbGrammar.all.map { (([$0.name] + $0.positionals).joined(separator: " "), $0.summary) }
        let lines =
            ["A gateway between apps and paid speech platforms: every recording is billed once.", ""]
            + ["Usage: speechgate VERB [ARGUMENT]... [OPTION]...", "", "Verbs:"] + HelpText.columns(rows)
            + ["", "Options:"]
            + HelpText.columns([
                ("--help", "after a verb: its options and examples"), ("--version", "print the version"),
            ])
            + [
                "",
                "Every verb takes --config FILE; else the configuration is the file that $SPEECHGATE_CONFIG names, else",
            ]
            + [ConfigurationFile.defaultPath + "."]
            + [
                "", "Examples:", "  speechgate check --config speechgate.json5",
                "  speechgate serve --config speechgate.json5",
            ]
            + ["  speechgate client add school-app --config speechgate.json5"]
        return lines.joined(separator: "\n")
    }

    private static func action(_ grammar: VerbGrammar, _ parsed: ParsedArguments) throws(VerbFailure) -> Action {
        switch grammar.name {
        case "serve":
            let listen = parsed.values("--listen")
            for address in listen {
                if let fault = ListenText.fault(address) { throw Self.usage("--listen: \(fault)") }
            }
            return .serve(listen: listen, readyFile: parsed.value("--ready-file"))
        case "check":
            return .check
        case "client add":
            return .administer(.addClient(try Self.client(parsed)))
        case "client list":
            return .administer(.listClients)
        case "client rotate":
            let name = try Self.clientName(parsed.positionals[0], of: "NAME")
            let overlap = try Self.seconds("--overlap", in: 0...2_592_000, parsed) ?? 86_400
            return .administer(.rotateClient(name: name, overlapSeconds: overlap))
        case "token":
            return .administer(.makeToken(try Self.token(parsed)))
        case "token revoke":
            return .administer(try Self.tokenRevocation(parsed))
        case "client revoke":
            return .administer(.revokeClient(name: try Self.clientName(parsed.positionals[0], of: "NAME")))
        case "reload":
            return .administer(.reload)
        case "claims list":
            return .administer(.listClaims(after: 0))
        case "claims settle":
            return .administer(try Self.settlement(parsed))
        case "records list", "records export":
            return .administer(try Self.records(parsed))
        case "records show":
            return .administer(.showRecord(parsed.positionals[0], client: try Self.recordsClient(parsed)))
        case "records delete":
            return .administer(try Self.erasure(parsed))
        case "usage":
            return .administer(try Self.usageListing(parsed))
        case "backup":
            return .administer(.backUp(path: Self.wholePath(parsed.positionals[0])))
        case "doctor":
            return .doctor
        case "sign":
            return .sign(try Self.signing(parsed))
        case "stream":
            return .stream(try Self.stream(parsed))
        default:
            preconditionFailure("every verb of the grammar has its action")
        }
    }

    private static func settlement(_ parsed: ParsedArguments) throws(VerbFailure) -> AdministrationCommand {
        guard let client = parsed.value("--client") else {
            throw Self.usage("\"claims settle\" needs --client NAME: keys of different clients may be equal")
        }
        let billed = parsed.has("--billed")
        guard billed != parsed.has("--not-billed") else {
            throw Self.usage("\"claims settle\" needs exactly one of --billed and --not-billed")
        }
        return .settleClaim(
            key: parsed.positionals[0],
            client: try Self.clientName(client, of: "--client"),
            user: parsed.value("--user"),
            billed: billed
        )
    }

    static func clientName(_ name: String, of argument: String) throws(VerbFailure) -> String {
        if let fault = NameText.fault(name) { throw Self.usage("\(argument): \(fault)") }
        return name
    }

    static func scopes(_ list: String?) throws(VerbFailure) -> [String]? {
        guard let list else { return nil }
        if list == "all" { return Scope.allCases.map(\.rawValue) }
        var chosen: Set<Scope> = []
        for word in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let scope = Scope(rawValue: String(word)) else {
                let near = Spelling.nearest(to: String(word), among: Scope.allCases.map(\.rawValue))
                let advice = near.map { "did you mean \"\($0)\"?" } ?? "known: \(Scope.list)"
                throw Self.usage("--scopes: unknown scope \"\(word)\"; \(advice)")
            }
            chosen.insert(scope)
        }
        return Scope.allCases.filter(chosen.contains).map(\.rawValue)
    }

    private static func signing(_ parsed: ParsedArguments) throws(VerbFailure) -> SigningArguments {
        let secret: SigningArguments.SecretSource
        switch (parsed.value("--secret-file"), parsed.value("--account")) {
        case (let file?, nil): secret = .file(file)
        case (nil, let account?): secret = .account(account)
        default: throw Self.usage("\"sign\" needs exactly one of --secret-file FILE and --account NAME")
        }
        var parameters: [SigningArguments.Parameter] = []
        for (option, value) in parsed.occurrences where option == "--param" || option == "--param-file" {
            guard let equals = value.firstIndex(of: "="), equals != value.startIndex else {
                throw Self.usage("\(option): NAME=\(option == "--param" ? "VALUE" : "FILE") is wanted")
            }
            let name = String(value[..<equals])
            let text = String(value[value.index(after: equals)...])
            guard !parameters.contains(where: { $0.name == name }) else {
                throw Self.usage("\(option): the parameter \"\(name)\" was given twice")
            }
            parameters.append(.init(name: name, value: option == "--param" ? .text(text) : .file(text)))
        }
        return SigningArguments(secret: secret, parameters: parameters)
    }

    static func usage(_ message: String) -> VerbFailure {
        VerbFailure(.usage, message)
    }
}
