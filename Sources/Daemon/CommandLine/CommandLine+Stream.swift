internal import HTTPWire

/// What `stream` was given.
struct StreamArguments: Hashable, Sendable {
    static let defaultGateway = "ws://127.0.0.1:8790"
    static let defaultVariable = "SPEECHGATE_API_KEY"

    /// The recording.
    var file: String
    /// What is read aloud.
    var text: String
    var language: String
    var coreType = "sentence"
    /// The idempotency key; nil when the gateway is to make one.
    var key: String?
    var user: String?
    /// With `ws` or `wss`, without a path; nil for where the configuration says, or the default.
    var gateway: String?
    var authorityFile: String?
    /// Where the API key or token is.
    var credential = SecretReference(source: .environment, name: StreamArguments.defaultVariable)
    /// How much faster than spoken; nil for as fast as it goes.
    var speed: Double? = 1
}

/// The arguments of `stream`.
extension CommandLine {
    static func stream(_ parsed: ParsedArguments) throws(VerbFailure) -> StreamArguments {
        guard let text = parsed.value("--text") else {
            throw Self.usage("\"stream\" needs --text TEXT: what is read aloud")
        }
        var arguments = StreamArguments(file: parsed.positionals[0], text: text, language: Self.language(of: text))
        if let language = parsed.value("--language") { arguments.language = language }
        if let coreType = parsed.value("--core-type") { arguments.coreType = coreType }
        if let key = parsed.value("--key") {
            guard (1...200).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw Self.usage("--key: 1 to 200 visible ASCII characters are wanted")
            }
            arguments.key = key
        }
        if let user = parsed.value("--user") {
            guard user.utf8.allSatisfy(HTTPToken.isFieldValueByte) else {
                throw Self.usage("--user: the name holds a control character")
            }
            arguments.user = user
        }
        if let url = parsed.value("--gateway") { arguments.gateway = try Self.gateway(url) }
        arguments.authorityFile = parsed.value("--ca-file")
        switch (parsed.value("--credential-env"), parsed.value("--credential-file")) {
        case (nil, nil): break
        case (let name?, nil): arguments.credential = SecretReference(source: .environment, name: name)
        case (nil, let file?): arguments.credential = SecretReference(source: .file, name: file)
        default: throw Self.usage("\"stream\" takes one of --credential-env NAME and --credential-file FILE, not both")
        }
        if let speed = parsed.value("--speed") { arguments.speed = try Self.speed(speed) }
        return arguments
    }

    private static func language(of text: String) -> String {
        let isChinese = text.unicodeScalars.contains { (0x3400...0x9FFF).contains($0.value) || $0.value >= 0x20000 }
        return isChinese ? "zh-CN" : "en-US"
    }

    /// The address of a gateway, which people also know with `http`.
    private static func gateway(_ text: String) throws(VerbFailure) -> String {
        var url = text
        if url.hasPrefix("http") { url = "ws" + url.dropFirst(4) }
        if url.hasSuffix("/") { url.removeLast() }
        let host = url.hasPrefix("wss://") ? url.dropFirst(6) : url.hasPrefix("ws://") ? url.dropFirst(5) : ""
        guard !host.isEmpty, !host.contains(where: { "/?#@ ".contains($0) }) else {
            throw Self.usage("--gateway: ws://HOST:PORT or wss://HOST[:PORT] without a path is wanted, not \"\(text)\"")
        }
        return url
    }

    private static func speed(_ text: String) throws(VerbFailure) -> Double? {
        if text == "max" { return nil }
        guard let factor = Double(text), (0.1...100).contains(factor) else {
            throw Self.usage("--speed: a factor from 0.1 to 100, or \"max\", is wanted, not \"\(text)\"")
        }
        return factor
    }
}
