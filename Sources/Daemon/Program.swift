internal import FoundationEssentials

/// The program `speechgate`, as its `main` calls it.
public enum Program {
    /// Runs a command line to its end.
    ///
    /// - Parameter arguments: Without the program's name.
    /// - Returns: The exit code (sysexits.h).
    public static func run(_ arguments: [String]) async -> Int32 {
        await Self.run(arguments, environment: ProcessInfo.processInfo.environment, console: .standard).rawValue
    }

    static func run(_ arguments: [String], environment: [String: String], console: Console) async -> ExitCode {
        do throws(VerbFailure) {
            let commandLine = try CommandLine.parse(arguments)
            let context = VerbContext(
                configurationPath: ConfigurationFile.path(
                    named: commandLine.configurationFile,
                    environment: environment
                ),
                environment: environment,
                console: console
            )
            switch commandLine.action {
            case .help(let text):
                console.print(text)
            case .version:
                console.print("speechgate \(Version.current.rawValue)")
            case .serve(let listen, let readyFile):
                try await ServeVerb(listen: listen, readyFile: readyFile).run(context)
            case .check:
                try CheckVerb().run(context)
            case .administer(let command):
                try await AdministrationVerb(command: command).run(context)
            case .doctor:
                try await DoctorVerb().run(context)
            case .sign(let arguments):
                try SignVerb(arguments: arguments).run(context)
            case .stream(let arguments):
                try await StreamVerb(arguments: arguments, isConfigured: commandLine.configurationFile != nil)
                    .run(context)
            }
            return .success
        } catch {
            console.report(error)
            if error.exitCode == .usage { console.complaint("See speechgate --help.") }
            return error.exitCode
        }
    }
}

/// What every verb is given.
struct VerbContext: Sendable {
    /// The configuration's file.
    let configurationPath: String
    let environment: [String: String]
    let console: Console

    /// Reads the configuration.
    func loadConfiguration() throws(VerbFailure) -> ConfigurationFile {
        do throws(ConfigurationError) {
            return try ConfigurationFile.load(self.configurationPath)
        } catch {
            throw VerbFailure(error)
        }
    }

    /// Reads the secrets of a configuration.
    func resolveSecrets(_ file: ConfigurationFile) throws(VerbFailure) -> ResolvedSecrets {
        do throws(ConfigurationError) {
            return try ResolvedSecrets(for: file, environment: self.environment)
        } catch {
            throw VerbFailure(error)
        }
    }
}
