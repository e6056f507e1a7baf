internal import Cryptography
internal import GatewayCore
internal import JSONScan

/// `sign`: what the platform would sign, for finding out why a signature is refused.
struct SignVerb: Sendable {
    /// The largest value of a parameter in bytes.
    private static let maximumValue = 1 << 20

    let arguments: CommandLine.SigningArguments

    func run(_ context: VerbContext) throws(VerbFailure) {
        let secret = try self.secret(context)
        var parameters: [(name: String, value: String)] = []
        for parameter in self.arguments.parameters {
            parameters.append((parameter.name, try Self.value(of: parameter)))
        }
        let payload = RequestSignature.payload(of: parameters)
        var writer = JSONWriter()
        writer.object { json in
            json.member("payload", payload)
            json.member("signature", RequestSignature.signature(of: payload, secretKey: secret))
        }
        writer.lineFeed()
        context.console.output(writer.bytes)
    }

    private func secret(_ context: VerbContext) throws(VerbFailure) -> Secret {
        var reader = SecretReader(environment: context.environment)
        let bytes: [UInt8]?
        switch self.arguments.secret {
        case .file(let path):
            bytes = reader.read(SecretReference(source: .file, name: path), path: "--secret-file")
            if let issue = reader.issues.first { throw VerbFailure(.noInput, "--secret-file: \(issue.message)") }
        case .account(let name):
            let file = try context.loadConfiguration()
            let accounts = file.configuration.yugu.accounts
            guard let index = accounts.firstIndex(where: { $0.name == name }) else {
                let known = accounts.map { "\"\($0.name)\"" }.joined(separator: ", ")
                throw VerbFailure(.usage, "--account: no account \"\(name)\" in \(file.path); known: \(known)")
            }
            bytes = reader.read(accounts[index].secretKey, path: "yugu.accounts[\(index)].secretKey")
            if !reader.issues.isEmpty {
                throw VerbFailure(ConfigurationError(file: file.path, issues: reader.issues))
            }
        }
        return Secret(bytes ?? [])
    }

    private static func value(of parameter: CommandLine.SigningArguments.Parameter) throws(VerbFailure) -> String {
        switch parameter.value {
        case .text(let text):
            return text
        case .file(let path):
            let contents: FileContents
            do throws(FileError) {
                contents = try FileContents.read(path, maximum: Self.maximumValue)
            } catch {
                throw VerbFailure(.noInput, "--param-file: cannot read \(path): \(error.reason)")
            }
            guard let text = String(validating: contents.bytes, as: UTF8.self) else {
                throw VerbFailure(.dataError, "--param-file: \(path) is not UTF-8")
            }
            return text
        }
    }
}
