internal import GatewayCore

/// The arguments of `client …` and `token …`.
extension CommandLine {
    static func client(_ parsed: ParsedArguments) throws(VerbFailure) -> ClientDescription {
        var client = ClientDescription(
            name: try Self.clientName(parsed.positionals[0], of: "NAME"),
            scopes: try Self.scopes(parsed.value("--scopes")) ?? Scope.clientDefaults.map(\.rawValue)
        )
        client.label = parsed.value("--label")
        if let label = client.label, label.utf8.count > 200 || label.utf8.contains(where: { $0 < 0x20 }) {
            throw Self.usage("--label: at most 200 bytes without control characters are wanted")
        }
        client.coreTypes = try Self.words("--core-types", parsed) { word in
            (1...64).contains(word.utf8.count) && word.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                ? nil : "names such as \"sentence\" or \"sent.eval.cn\", separated by commas, are wanted"
        }
        client.addresses = try Self.words("--addresses", parsed) { word in
            AddressRange(word) == nil ? "\(AddressRange.forms), not \"\(word)\"" : nil
        }
        client.lifetimeSeconds = try Self.seconds("--expires", in: 1...315_360_000, parsed)
        client.isSigning = parsed.has("--signing")
        return client
    }

    static func token(_ parsed: ParsedArguments) throws(VerbFailure) -> TokenDescription {
        guard let client = parsed.value("--client"), let user = parsed.value("--user") else {
            throw Self.usage("\"token\" needs --client NAME and --user USER")
        }
        var token = TokenDescription(client: try Self.clientName(client, of: "--client"), user: user)
        token.lifetimeSeconds =
            try Self.seconds("--ttl", in: TokenIssuer.lifetimes, parsed) ?? token.lifetimeSeconds
        token.scopes = try Self.scopes(parsed.value("--scopes"))
        if let calls = parsed.value("--maximum-calls") {
            guard let number = Int(calls), TokenIssuer.callLimits.contains(number) else {
                let range = "\(TokenIssuer.callLimits.lowerBound) to \(TokenIssuer.callLimits.upperBound)"
                throw Self.usage("--maximum-calls: a number from \(range) is wanted, not \"\(calls)\"")
            }
            token.maximumCalls = number
        }
        return token
    }

    static func tokenRevocation(_ parsed: ParsedArguments) throws(VerbFailure) -> AdministrationCommand {
        guard let client = parsed.value("--client") else {
            throw Self.usage("\"token revoke\" needs --client NAME")
        }
        let choices = ["--id", "--user", "--all"].filter(parsed.has)
        guard choices.count == 1 else {
            throw Self.usage("\"token revoke\" needs exactly one of --id ID, --user USER and --all")
        }
        return .revokeTokens(
            client: try Self.clientName(client, of: "--client"),
            user: parsed.value("--user"),
            tokenID: parsed.value("--id")
        )
    }

    /// A span of time in whole seconds.
    static func seconds(
        _ option: String,
        in range: ClosedRange<Int>,
        _ parsed: ParsedArguments
    ) throws(VerbFailure) -> Int? {
        guard let text = parsed.value(option) else { return nil }
        guard let duration = Duration(configurationText: text), duration.components.attoseconds == 0,
            range.contains(Int(duration.components.seconds))
        else {
            let lower = Duration.seconds(range.lowerBound).configurationText
            let upper = Duration.seconds(range.upperBound).configurationText
            let wanted = "\"\(lower)\" to \"\(upper)\" with a unit (s, m, h, d) is wanted"
            throw Self.usage("\(option): \(wanted), not \"\(text)\"")
        }
        return Int(duration.components.seconds)
    }

    private static func words(
        _ option: String,
        _ parsed: ParsedArguments,
        fault: (String) -> String?
    ) throws(VerbFailure) -> [String] {
        guard let list = parsed.value(option) else { return [] }
        let words = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for word in words {
            if let fault = fault(word) { throw Self.usage("\(option): \(fault)") }
        }
        return words
    }
}
